import { readFileSync } from 'node:fs';

import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createApp } from '#src/app.setup';
import { readConfig } from '#src/config/config';
import { PET_COLUMNS } from '#src/pets/pet.entity';
import { ORDER_COLUMNS } from '#src/store/order.entity';

import { createDatabase, onCitus, type TestDatabase } from '../support/database.ts';

/**
 * 200,000 animals: half have no status, some are available, 20 at the end are pending, and none is sold. 200,000
 * orders: the account 1 has one in a thousand. 200,000 messages: half are delivered, and the others are due.
 */
const ROWS = [
  `INSERT INTO account (name) SELECT 'account ' || n FROM generate_series(1, 1000) n`,
  `INSERT INTO pet (name, category_id, status)
   SELECT 'animal ' || n, n % 7,
          CASE WHEN n > 199980 THEN 'pending' WHEN n % 2 = 0 THEN 'available' END
   FROM generate_series(1, 200000) n`,
  `INSERT INTO store_order (account_id, pet_id, status, created_at)
   SELECT 1 + n % 1000, 1 + n % 200000, 'placed', now() FROM generate_series(1, 200000) n`,
  `INSERT INTO message (id, account_id, message, status, created_at, due_at, delivered_at)
   SELECT gen_random_uuid(), 1, 'message ' || n, 'queued', now(), now() - n * interval '1 millisecond',
          CASE WHEN n % 2 = 0 THEN now() END
   FROM generate_series(1, 200000) n`,
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

let database: TestDatabase;
let app: Awaited<ReturnType<typeof createApp>>;
let dataSource: DataSource;

// Citus plans on the coordinator, and the workers plan again.
const testPlan = test.skipIf(onCitus());

beforeAll(async () => {
  if (onCitus()) return;
  database = await createDatabase();
  // The statements are prepared on this connection.
  const settings = { LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '1', DATABASE_QUERY_TIMEOUT_MS: '60000' };
  app = await createApp(readConfig({ ...settings, ...database.environment }));
  dataSource = app.get(DataSource);
  for (const sql of ROWS) await dataSource.query(sql);
});

afterAll(async () => {
  if (onCitus()) return;
  await app.close();
  await database.drop();
});

/** The text of a repository's statement, by its name. */
function statement(file: string, name: string): string {
  const source = readFileSync(file, 'utf8');
  const [, text] = new RegExp(`name: '${name}',\\s+text: \`([^\`]+)\``).exec(source) ?? [];
  if (text === undefined) throw new Error(`${file} has no statement ${name}`);
  return text.replace('${ORDER_COLUMNS}', ORDER_COLUMNS).replace('${PET_COLUMNS}', PET_COLUMNS);
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

const PETS = 'src/pets/pet-lists.ts';
const ORDERS = 'src/store/postgres-store.repository.ts';
const DELIVERIES = 'src/messages/delivery/deliveries.repository.ts';
const LIMIT = 101;

const LISTS = [
  { file: PETS, name: 'pet-list', types: 'bigint, bigint', page: (after: number) => [after, LIMIT] },
  ...['available', 'pending', 'sold'].map((status) => ({
    file: PETS,
    name: 'pet-list-by-status',
    types: 'bigint, bigint, text',
    page: (after: number) => [after, LIMIT, status],
  })),
  ...[1, 1000, 4711].map((account) => ({
    file: ORDERS,
    name: 'order-list',
    types: 'bigint, bigint, bigint',
    page: (after: number) => [account, after, LIMIT],
  })),
];

testPlan('statements have generic plans without JIT, on every connection', async () => {
  expect(await dataSource.query('SHOW plan_cache_mode')).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
  expect(await dataSource.query('SHOW jit')).toEqual([{ jit: 'off' }]);
});

for (const { file, name, types, page } of LISTS) {
  testPlan.each([0, 1000, 100_000, 199_950, 10_000_000])(
    `${name} (${page(0).join(', ')}) reads no more than a page from an index, after %i`,
    async (after) => {
      const plan = await planOf(statement(file, name), types, page(after));
      const steps = stepsOf(plan);
      expect(steps.map((step) => step['Node Type'])).toEqual(['Limit', 'Index Scan']);
      for (const step of steps) {
        expect(step['Rows Removed by Filter'] ?? 0).toBe(0);
        expect(step['Actual Rows'] * step['Actual Loops']).toBeLessThanOrEqual(LIMIT);
      }
      // One search in the index and, for each row, at most one block of the table and one of the index.
      expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(10 + 2 * LIMIT);
    },
  );
}

testPlan.each([
  ['pet-lists', 'bigint[], bigint[]', []],
  ['pet-lists-by-status', 'bigint[], bigint[], text[]', ['{available,pending,sold,available}']],
])('%s reads of each slice no more than alone', async (name, types, statuses) => {
  const plan = await planOf(statement(PETS, name), types, [
    ...['{0,1000,199950,10000000}', '{101,21,101,101}'],
    ...statuses,
  ]);
  const steps = stepsOf(plan);
  const scan = steps.find((step) => step['Node Type'] === 'Index Scan');
  expect(scan).toMatchObject({ 'Actual Loops': 4 });
  for (const step of steps) {
    expect(['Incremental Sort', 'Sort', 'Nested Loop', 'Function Scan', 'Limit', 'Index Scan']).toContain(
      step['Node Type'],
    );
    expect(step['Rows Removed by Filter'] ?? 0).toBe(0);
    expect(step['Actual Rows'] * step['Actual Loops']).toBeLessThanOrEqual(3 * 101 + 21);
  }
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(4 * 10 + 2 * (3 * 101 + 21));
});

testPlan('message-take reads only the messages that it takes from a long queue', async () => {
  const plan = await planOf(statement(DELIVERIES, 'message-take'), 'bigint, integer', [16, 40_000]);
  const steps = stepsOf(plan);
  expect(steps.map((step) => step['Node Type'])).not.toContain('Seq Scan');
  for (const step of steps) expect(step['Actual Rows'] * step['Actual Loops']).toBeLessThanOrEqual(16);
});
