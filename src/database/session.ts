import pg, { type ClientBase, type Pool, type QueryResultRow } from 'pg';

import type { Config } from '../config/config.js';
import { parseTrustedJson } from '../domain/json.js';
import { statementDuration } from '../metrics.js';
import type { ConnectionLimit } from './connection-limit.js';

/** An SQL statement with a unique name. The server parses and plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether the text varies, for example with the number of rows. Such a statement is not prepared. */
  readonly varies?: boolean;
  /** The account that waits for the statement. Accounts take turns. */
  readonly account?: bigint | undefined;
  /** The number of characters of long texts that the statement keeps in memory while it waits. */
  readonly characters?: number;
  /** @internal Runs the statement, or rejects it. */
  readonly guard?: Guard | undefined;
}

export type Guard = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns statements from their texts. The key of each is its name. */
export function namedStatements<Name extends string>(texts: Record<Name, string>): Record<Name, Statement> {
  const statements = Object.entries<string>(texts).map(([name, text]) => [name, { name, text }]);
  return Object.fromEntries(statements) as Record<Name, Statement>;
}

/** The number of the type int8[]. */
const INT8_ARRAY = 1016;

type ParseArray = (text: string) => (string | null)[];

/**
 * pg's own parsers, except for int8, which becomes a bigint instead of a string, for JSON, whose integers stay exact, and
 * for dates and times without a zone, which stay texts: a Date is another one in another time zone.
 */
const TYPES = new pg.TypeOverrides();
const readArray = TYPES.getTypeParser(INT8_ARRAY, 'text') as unknown as ParseArray;
TYPES.setTypeParser(pg.types.builtins.INT8, BigInt);
TYPES.setTypeParser(pg.types.builtins.DATE, String);
TYPES.setTypeParser(pg.types.builtins.TIMESTAMP, String);
TYPES.setTypeParser(pg.types.builtins.JSON, parseTrustedJson);
TYPES.setTypeParser(pg.types.builtins.JSONB, parseTrustedJson);
TYPES.setTypeParser(INT8_ARRAY, (text: string) =>
  readArray(text).map((each) => (each === null ? null : BigInt(each))),
);

/** Runs prepared statements, which TypeORM does not offer. */
export class Session {
  /** @internal Runs statements at once. It is for work that limits itself, such as a batch. */
  readonly withoutLimit: Session;

  constructor(
    private readonly connection: Pool | ClientBase,
    protected readonly config: Config,
    /** @internal */
    protected readonly limit?: ConnectionLimit,
  ) {
    this.withoutLimit = limit ? new Session(connection, config) : this;
  }

  /**
   * Runs a statement and returns its rows. An int8 column is a bigint.
   *
   * @throws Unavailable when other work of the account waits for too long, or too much work waits
   */
  query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const { guard } = statement;
    const run = () => this.run<Row>(statement, values);
    const guarded = guard ? () => guard(run) : run;
    return this.limit ? this.limit.apply(guarded, statement) : guarded();
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

  private async run<Row extends QueryResultRow>(
    { name, text, varies = false }: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    // Poolers in transaction mode may not support prepared statements.
    const isPrepared = this.config.databasePooler === undefined && !varies;
    const query = { text, values: [...values], types: TYPES, ...(isPrepared && { name }) };
    const stopTimer = statementDuration.startTimer({ statement: name });
    try {
      const { rows } = await this.connection.query<Row>(query);
      stopTimer({ outcome: 'success' });
      // The query object outlives its request (docs/decisions/no-pretenuring.md). Without the rows, it is small.
      return rows.splice(0);
    } catch (error) {
      stopTimer({ outcome: 'failure' });
      throw error;
    }
  }
}
