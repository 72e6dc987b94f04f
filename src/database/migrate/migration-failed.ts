import { OperatorError } from '../../config/operator-error.js';
import { messageOf } from '../../domain/message-of.js';

/** A migration, or its undo, failed. The schema has not changed. */
export class MigrationFailed extends OperatorError {
  /** @param work the migration or its undo, after 'the' */
  constructor(work: string, cause: unknown) {
    super(`The ${work} failed and was rolled back: ${messageOf(cause)}`, { cause });
  }
}
