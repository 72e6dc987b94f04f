import type { ClientBase, Pool, QueryResultRow } from 'pg';

import { STATEMENTS } from './database.diagnostics.js';
import type { Sending } from './sending.js';
import type { WatchedQuery } from './watched-client.js';

/** SQL under a name of its own: the server parses and plans it once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs statements, prepared, which TypeORM itself does not do. */
export class Session {
  constructor(
    private readonly connection: Pool | ClientBase,
    protected readonly sending: Sending,
  ) {}

  query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (!STATEMENTS.hasSubscribers) return this.run(statement, values);
    return STATEMENTS.tracePromise(() => this.run<Row>(statement, values), { ...statement });
  }

  private async run<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const { answerTimeoutMs, isPrepared } = this.sending;
    const query: WatchedQuery = {
      name: isPrepared ? statement.name : undefined,
      text: statement.text,
      values: [...values],
      answerTimeoutMs,
    };
    const { rows } = await this.connection.query<Row>(query);
    return rows;
  }

  /** Runs a statement that always gives a row. */
  async queryOne<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row> {
    const [row] = await this.query<Row>(statement, values);
    if (!row) throw new Error(`${statement.name} gave no row`);
    return row;
  }
}
