import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';

import { Unavailable } from '../../domain/errors.js';
import { Batch } from '../batch.js';
import { Database } from '../database.js';
import type { Guard } from '../session.js';

/** The time after which a statement, and then an attempt to reach its node, count as unanswered. */
const ANSWER_TIMEOUT_MS = 1000;

/** The pause between two attempts to reach a node that is away. */
const PAUSE_MS = 2000;

/** The value of the distribution column of a row, which determines the node of the row. */
interface Place {
  readonly table: string;
  readonly column: string;
  readonly value: bigint | string;
}

const FIND = {
  name: 'node-find',
  text: `SELECT min(groupid) AS node FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS place ("table", value, number)
    JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column("table"::regclass, value)
    GROUP BY number ORDER BY number`,
};

/**
 * The nodes of Citus that hang. Statements for their rows fail at once and hold no connections, until the node answers one
 * attempt, which goes on meanwhile. Without a hanging node, no statement asks for the node of its row.
 */
@Injectable()
export class Nodes {
  private readonly away = new Set<number>();
  private readonly attempts = new Map<number, Promise<boolean>>();
  private readonly finds = new Batch('node-find', (places: Place[]) => this.findAll(places));

  constructor(private readonly database: Database) {}

  /** Returns the guard of a statement for a row. */
  ofRow(table: string, column: string, value: bigint | string): Guard {
    const place = { table, column, value };
    return async (work) => {
      if (this.away.size > 0 && this.away.has(await this.finds.add(place))) throw unavailable();
      return giveUpWhen(() => this.isAway(place), work);
    };
  }

  /** The guard of a statement that needs all nodes. */
  readonly ofAll: Guard = async (work) => {
    const isAnyAway = () => this.away.size > 0;
    if (isAnyAway()) throw unavailable();
    return giveUpWhen(isAnyAway, work);
  };

  /** Returns whether the node of a row is away. Statements that wait for the same node share an attempt to reach it. */
  private async isAway(place: Place): Promise<boolean> {
    const node = await this.finds.add(place);
    if (this.away.has(node)) return true;
    const current = this.attempts.get(node);
    if (current) return current;
    const attempt = this.tryToReach(node, place).finally(() => this.attempts.delete(node));
    this.attempts.set(node, attempt);
    return attempt;
  }

  private async tryToReach(node: number, place: Place): Promise<boolean> {
    const reached = this.reach(place);
    const isAway = !(await Promise.race([reached, sleep(ANSWER_TIMEOUT_MS, false, { ref: false })]));
    if (isAway) {
      this.away.add(node);
      void this.waitFor(node, place, reached);
    }
    return isAway;
  }

  private async waitFor(node: number, place: Place, reached: Promise<boolean>): Promise<void> {
    while (!(await reached)) {
      await sleep(PAUSE_MS, undefined, { ref: false });
      reached = this.reach(place);
    }
    this.away.delete(node);
  }

  private reach({ table, column, value }: Place): Promise<boolean> {
    const text = `SELECT FROM ${table} WHERE ${column} = $1 LIMIT 1`;
    const answer = this.database.withoutLimit.query({ name: `${table}-reach`, text }, [value]);
    return answer.then(
      () => true,
      () => false,
    );
  }

  private async findAll(places: Place[]): Promise<number[]> {
    const values = [places.map(({ table }) => table), places.map(({ value }) => String(value))];
    const rows = await this.database.withoutLimit.query<{ node: number }>(FIND, values);
    return rows.map(({ node }) => node);
  }
}

const unavailable = () => new Unavailable(new Error('a node of Citus does not answer'));

/** Returns the result of work, or rejects as soon as the work has waited for too long and is hopeless. */
async function giveUpWhen<Result>(
  isHopeless: () => boolean | Promise<boolean>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const check = async () => {
    if (await isHopeless()) reject(unavailable());
  };
  // The work itself fails if the check does.
  const timer = setInterval(() => void check().catch(() => undefined), ANSWER_TIMEOUT_MS);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearInterval(timer);
  }
}
