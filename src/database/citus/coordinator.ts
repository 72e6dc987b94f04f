import { Batch } from '../batch.js';
import type { Database } from '../database.js';
import type { Session, Statement } from '../session.js';

/**
 * A row for the FROM of a query that must run on the coordinator, whichever node the process is connected to. The
 * coordinator has the table of the migrations, which is never empty.
 */
export const COORDINATOR = '(SELECT 1 FROM migration LIMIT 1) AS coordinator';

/**
 * Takes the ids of a table from the coordinator, so that they rise in the order of insertion. The sequence of a worker
 * has a range of its own.
 */
export class CoordinatorIds {
  private readonly statement: Statement;
  private readonly batch: Batch<undefined, bigint>;

  constructor(database: Database, table: string) {
    this.statement = {
      name: `${table}-ids`,
      text: `SELECT nextval('${table}_id_seq') AS id FROM ${COORDINATOR}, generate_series(1, $1::int)`,
    };
    this.batch = new Batch(`${table}-ids`, (items) => this.take(database.withoutLimit, items.length));
  }

  /**
   * Returns an id. Concurrent calls share a statement, also those of transactions, which would otherwise each have a
   * transaction on the coordinator. Batches have connections that transactions do not use.
   */
  next(): Promise<bigint> {
    return this.batch.add(undefined);
  }

  /** Returns ids in ascending order. */
  async take(session: Session, count: number): Promise<bigint[]> {
    const rows = await session.query<{ id: bigint }>(this.statement, [count]);
    return rows.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
  }
}
