import { OperatorError } from '../../config/operator-error.js';

/** A migration, or its undo, failed. The schema has not changed. */
export class MigrationFailed extends OperatorError {
  /** @param work the migration or its undo, after 'the' */
  constructor(work: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The ${work} failed and was rolled back: ${reason}`, { cause });
  }
}
