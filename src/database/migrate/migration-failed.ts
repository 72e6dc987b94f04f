/** A migration failed. The schema has not changed. */
export class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed';

  constructor(migration: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The migration ${migration} failed and was undone: ${reason}`, { cause });
  }
}
