import pg, { type ClientBase, type Pool, type QueryConfig, type QueryResultRow } from 'pg';

import { STATEMENTS } from './database.diagnostics.js';
import type { QueryOptions } from './query-options.js';

/** An SQL statement with a unique name. The server parses and plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether the text varies, for example with the number of rows. Such a statement is not prepared. */
  readonly varies?: boolean;
}

/**
 * A query with pg's timeout, which its types do not declare. Unlike `statement_timeout` of the server, the timeout also
 * ends the wait for a server that no longer responds.
 */
interface TimedQuery extends QueryConfig<unknown[]> {
  readonly query_timeout: number;
}

const { INT8 } = pg.types.builtins;

/** pg's own parsers, except for int8, which becomes a bigint instead of a string. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 ? BigInt : (pg.types.getTypeParser(oid, format) as typeof BigInt),
};

/** Runs prepared statements, which TypeORM does not offer. */
export class Session {
  constructor(
    private readonly connection: Pool | ClientBase,
    protected readonly options: QueryOptions,
  ) {}

  /** Runs a statement and returns its rows. An int8 column is a bigint. */
  query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const { name, text, varies = false } = statement;
    const isPrepared = this.options.usePreparedStatements && !varies;
    const query = { name: isPrepared ? name : undefined, text, values: [...values] };
    if (!STATEMENTS.hasSubscribers) return this.send(query);
    return STATEMENTS.tracePromise(() => this.send<Row>(query), { name, text });
  }

  /**
   * Runs a statement that always returns a row.
   *
   * @throws Error when there is no row
   */
  async queryOne<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row> {
    const [row] = await this.query<Row>(statement, values);
    if (!row) throw new Error(`${statement.name} returned no row`);
    return row;
  }

  protected async send<Row extends QueryResultRow>(query: QueryConfig<unknown[]>): Promise<Row[]> {
    const timed: TimedQuery = { ...query, types: TYPES, query_timeout: this.options.queryTimeoutMs };
    const { rows } = await this.connection.query<Row>(timed);
    // The query object of pg stays in memory until a full garbage collection. Without the rows, it is small.
    return rows.splice(0);
  }
}
