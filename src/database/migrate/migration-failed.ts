import { OperatorError } from '../../config/operator-error.js';
import { messageOf } from '../../domain/message-of.js';

/** The SQLSTATE of a statement that creates a table which exists already. */
const DUPLICATE_TABLE = '42P07';

/** A migration, or its undo, failed. The schema has not changed. */
export class MigrationFailed extends OperatorError {
  /** @param work the migration or its undo, after 'the' */
  constructor(work: string, cause: unknown) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === DUPLICATE_TABLE;
    const remedy = exists ? '. Rename one of the two tables, or use another database.' : '';
    super(`The ${work} failed and was rolled back: ${messageOf(cause)}${remedy}`, { cause });
  }
}
