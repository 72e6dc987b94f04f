import { Inject, Injectable } from '@nestjs/common';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

import { CONFIG, type Config } from '../config.js';

/** SQL under a name of its own: the server parses and plans it once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs a statement of a transaction, for its effect. */
export type Run = (statement: Statement, values: readonly unknown[]) => Promise<void>;

/** Runs the statements of the repositories, prepared, which TypeORM itself does not do. */
@Injectable()
export class Database {
  private readonly pool: Pool;
  private readonly answerTimeoutMs: number;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) config: Config,
  ) {
    this.pool = (dataSource.driver as PostgresDriver).master as Pool;
    // The server ends a slow statement by itself; this limit is for a server that does not answer at all.
    this.answerTimeoutMs = config.queryTimeoutMs + 500;
  }

  async query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const query = { ...statement, values: [...values], query_timeout: this.answerTimeoutMs };
    const { rows } = await this.pool.query<Row>(query);
    return rows;
  }

  /** Runs a statement that always gives a row. */
  async queryOne<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row> {
    const [row] = await this.query<Row>(statement, values);
    if (!row) throw new Error(`${statement.name} gave no row`);
    return row;
  }

  /** Runs work whose statements all take effect or, when it throws, none. */
  transaction<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
    return this.dataSource.transaction((manager) =>
      work(async ({ text }, values) => {
        await manager.query(text, [...values]);
      }),
    );
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await this.query({ name: 'ping', text: 'SELECT 1' }, []);
  }
}
