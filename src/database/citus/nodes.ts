import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

import { Unavailable } from '../../domain/errors.js';
import { Batch } from '../batch.js';
import { isDatabaseUnavailable, isTimeout } from '../database-unavailable.js';
import { Database } from '../database.js';
import type { Guard, Statement } from '../session.js';

/** The pause between two attempts to reach a node that hangs. */
const PAUSE_MS = 2000;

/** Stands for the node that a statement on all nodes has waited for. */
const UNKNOWN = -1;

const FIND = {
  name: 'node-find',
  text: `SELECT min(groupid) AS node FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS place ("table", value, number)
    JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column("table"::regclass, value)
    GROUP BY number ORDER BY number`,
};

/**
 * The nodes of Citus that hang. After a statement has timed out, its node gets one attempt after the other, until it
 * answers. Meanwhile, other statements for it fail at once, so that they hold no connections.
 */
@Injectable()
export class Nodes implements OnApplicationShutdown {
  private readonly hanging = new Set<number>();
  private isStopped = false;
  private readonly finds = new Batch('node-find', (places: [table: string, value: string][]) =>
    this.findAll(places),
  );

  constructor(private readonly database: Database) {}

  /** Returns the guard of a statement for a row, whose distribution column has the value. */
  ofRow(table: string, column: string, value: bigint | string): Guard {
    const statement = { name: `${table}-probe`, text: `SELECT FROM ${table} WHERE ${column} = $1 LIMIT 1` };
    const findNode = () => this.finds.add([table, String(value)]);
    return async (work) => {
      if (this.hanging.size > 0 && this.hanging.has(await findNode())) throw unavailable();
      return afterTimeout(work, async () => this.probe(await findNode(), statement, [value]));
    };
  }

  /** Returns the guard of a statement that needs all nodes with shards of a table. */
  ofAll(table: string): Guard {
    const statement = { name: `${table}-probe-all`, text: `SELECT 1 FROM ${table} LIMIT 1` };
    return async (work) => {
      if (this.hanging.size > 0) throw unavailable();
      return afterTimeout(work, () => this.probe(UNKNOWN, statement, []));
    };
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
  }

  private async probe(node: number, statement: Statement, values: unknown[]): Promise<void> {
    if (this.hanging.has(node)) return;
    this.hanging.add(node);
    while (!this.isStopped && !(await this.isAnswered(statement, values)))
      await sleep(PAUSE_MS, undefined, { ref: false });
    this.hanging.delete(node);
  }

  private isAnswered(statement: Statement, values: unknown[]): Promise<boolean> {
    return this.database.withoutLimit.query(statement, values).then(
      () => true,
      (error: unknown) => !isDatabaseUnavailable(error),
    );
  }

  private async findAll(places: [table: string, value: string][]): Promise<number[]> {
    const values = [places.map(([table]) => table), places.map(([, value]) => value)];
    const rows = await this.database.withoutLimit.query<{ node: number }>(FIND, values);
    return rows.map(({ node }) => node);
  }
}

const unavailable = () => new Unavailable(new Error('a node of Citus does not answer'));

async function afterTimeout<Result>(
  work: () => Promise<Result>,
  probe: () => Promise<void>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // If the process cannot find the node, the next timeout leads to another attempt.
    if (isTimeout(error)) void probe().catch(() => undefined);
    throw error;
  }
}
