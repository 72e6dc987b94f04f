import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { MessagesRepository } from '#src/messages/messages.repository';

import { onCitus, onPostgres } from '../support/database.ts';
import { type Service, startService } from '../support/service.ts';

/**
 * 200,000 animals: half have no status, some are available, 20 at the end are pending, and none is sold. 200,000
 * orders: the account 1 has one in a thousand. 200,000 messages: half are delivered, and the others are due. 100,000
 * revoked keys of the account 1.
 */
const ROWS = [
  `INSERT INTO account (name) SELECT 'account ' || n FROM generate_series(1, 1000) n`,
  `INSERT INTO pet (name, category_id, status)
   SELECT 'animal ' || n, n % 7,
          CASE WHEN n > 199980 THEN 'pending' WHEN n % 2 = 0 THEN 'available' END
   FROM generate_series(1, 200000) n`,
  `INSERT INTO pet (name, category_id) SELECT repeat(chr(1), 20000), 1 FROM generate_series(1, 100)`,
  `INSERT INTO store_order (account_id, pet_id, status, created_at)
   SELECT 1 + n % 1000, 1 + n % 200000, 'placed', now() FROM generate_series(1, 200000) n`,
  `INSERT INTO message (id, account_id, message, status, created_at, due_at, delivered_at)
   SELECT gen_random_uuid(), 1, 'message ' || n, 'queued', now(), now() - n * interval '1 millisecond',
          CASE WHEN n % 2 = 0 THEN now() END
   FROM generate_series(1, 200000) n`,
  `INSERT INTO api_key (account_id, label, hash, start, revoked_at)
   SELECT 1, 'key', sha256(n::text::bytea), 'ps_', now() FROM generate_series(1, 100000) n`,
  'ANALYZE',
];

/** A step of PostgreSQL's plan. */
interface Step {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Step[];
}

let service: Service;
let dataSource: DataSource;

/** The texts of the statements that the service has prepared, by their names. */
const statements = new Map<string, string>();

// Citus plans on the coordinator, and the workers plan again. PGlite has the planner of PostgreSQL, and takes long to fill.
const isSkipped = onCitus() || !onPostgres();
const testPlan = test.skipIf(isSkipped);

beforeAll(async () => {
  if (isSkipped) return;
  // The statements are prepared on this connection.
  service = await startService({ DATABASE_POOL_SIZE: '1', DATABASE_QUERY_TIMEOUT_MS: '60000' });
  dataSource = service.app.get(DataSource);
  for (const sql of ROWS) await dataSource.query(sql);
  const lists = ['/v1/pets', '/v1/pets?status=sold', `/v1/pets?after=200000`];
  for (const path of [...lists, '/v1/store/orders', '/keys']) await service.client.get(path);
  await service.app.get(MessagesRepository).take(0, 1);
  const prepared = await dataSource.query<{ name: string; statement: string }[]>(
    'SELECT name, statement FROM pg_prepared_statements',
  );
  for (const { name, statement } of prepared) statements.set(name, statement);
});

afterAll(async () => {
  if (!isSkipped) await service.stop();
});

/** The text of a statement of a repository, by its name. */
function statement(name: string): string {
  const text = statements.get(name);
  if (text === undefined) throw new Error(`there is no statement ${name}`);
  return text;
}

/** Returns the plan of a statement on a connection of the service. */
async function planOf(text: string, types: string, values: (string | number)[]): Promise<Step> {
  await dataSource.query(`PREPARE listing (${types}) AS ${text}`);
  try {
    const literals = values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(', ');
    const [row] = await dataSource.query<[{ 'QUERY PLAN': [{ Plan: Step }] }]>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE listing (${literals})`,
    );
    return row['QUERY PLAN'][0].Plan;
  } finally {
    await dataSource.query('DEALLOCATE listing');
  }
}

function stepsOf(step: Step): Step[] {
  return [step, ...(step.Plans ?? []).flatMap(stepsOf)];
}

const LIMIT = 101;

testPlan('statements have generic plans without JIT, on every connection', async () => {
  expect(await dataSource.query('SHOW plan_cache_mode')).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
  expect(await dataSource.query('SHOW jit')).toEqual([{ jit: 'off' }]);
});

describe.each([1, 1000, 4711])('the orders of the account %i', (account) => {
  testPlan.each([0, 1000, 100_000, 199_950, 10_000_000])(
    'are read from an index, no more than a page, after %i',
    async (after) => {
      const plan = await planOf(statement('order-list'), 'bigint, bigint, bigint', [account, after, LIMIT]);
      expect(stepsOf(plan).map((step) => step['Node Type'])).toEqual(['Limit', 'Index Scan']);
      expectNoMoreThan(LIMIT, plan);
    },
  );
});

testPlan.each([
  ['pet-list', 'bigint[], bigint[]', '{0,1000,199950,10000000}', '{101,21,101,101}', []],
  ['pet-list', 'bigint[], bigint[]', '{100000}', '{101}', []],
  ...['available', 'pending', 'sold'].flatMap((status) =>
    ['{0}', '{1000}', '{199950}'].map((after): [string, string, string, string, string[]] => [
      'pet-list-by-status',
      'bigint[], bigint[], text[]',
      after,
      '{101}',
      [`{${status}}`],
    ]),
  ),
  [
    'pet-list-by-status',
    'bigint[], bigint[], text[]',
    '{0,1000,199950,10000000}',
    '{101,21,101,101}',
    ['{available,pending,sold,available}'],
  ],
])(
  '%s (%s) after %s reads no more than its slices from an index',
  async (name, types, afters, limits, statuses) => {
    const accounts = afters.replaceAll(/\d+/g, '1');
    const plan = await planOf(statement(name), `bigint[], ${types}`, [accounts, afters, limits, ...statuses]);
    const steps = stepsOf(plan);
    const counts = limits.match(/\d+/g)?.map(Number) ?? [];
    // Each slice reads its rows from an index, and looks there whether there are more.
    const scans = steps.filter((step) => /Index (?:Only )?Scan/.test(step['Node Type']));
    expect(scans.map((step) => step['Actual Loops'])).toEqual([counts.length, counts.length]);
    expect(steps.map((step) => step['Node Type'])).not.toContain('Seq Scan');
    expectNoMoreThan(
      counts.reduce((sum, count) => sum + count),
      plan,
    );
  },
);

/** Expects that a plan reads no row without need. */
function expectNoMoreThan(rows: number, plan: Step): void {
  for (const step of stepsOf(plan)) {
    expect(step['Rows Removed by Filter'] ?? 0).toBe(0);
    expect(step['Actual Rows'] * step['Actual Loops']).toBeLessThanOrEqual(rows);
  }
  // A few searches in the index and, for each row, at most one block of the table and one of the index.
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(40 + 2 * rows);
}

testPlan('a page of the longest names is read up to the names that can fit into it', async () => {
  const plan = await planOf(statement('pet-list-rows'), 'bigint[], bigint[], bigint[]', [
    ...['{1}', '{200000}', '{100}'],
  ]);
  // 14 names have more than 256 KiB. One more shows that there are more.
  expect(plan).toMatchObject({ 'Actual Rows': 15 });
  const [page] = await dataSource.query<[object]>(statement('pet-list'), [[1], [200_000], [100]]);
  expect(page).toMatchObject({ text: null });
});

testPlan('message-take reads only the messages that it takes from a long queue', async () => {
  const plan = await planOf(statement('message-take'), 'bigint, integer', [16, 40_000]);
  const steps = stepsOf(plan);
  expect(steps.map((step) => step['Node Type'])).not.toContain('Seq Scan');
  for (const step of steps) expect(step['Actual Rows'] * step['Actual Loops']).toBeLessThanOrEqual(16);
});

testPlan('key-list-of-account reads none of the revoked keys', async () => {
  const plan = await planOf(statement('key-list-of-account'), 'bigint', [1]);
  expectNoMoreThan(1, plan);
});
