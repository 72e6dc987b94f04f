import { describe, expect, inject, onTestFinished, test } from 'vitest';

import { DISTRIBUTIONS } from '#src/commands/distribute.command';
import { migrate } from '#src/database/migrate/migrate';

import {
  createDatabaseForTest,
  onCitus,
  onPostgres,
  openDataSource,
  runSql,
  type TestDatabase,
} from '../support/database.ts';
import { MIGRATIONS } from '../support/migrations.ts';
import { petstore } from '../support/petstore.ts';
import { failToStart, startServiceProcess } from '../support/process.ts';
import { query } from '../support/query.ts';
import { errorOfStart, startServiceForTest } from '../support/service.ts';

// On the embedded database, a command starts for seconds.
test.runIf(onPostgres() && !onCitus())(
  'distribute fails with one clear line on a database without Citus',
  async () => {
    const { environment } = await createDatabaseForTest();
    expect(await petstore(environment, ['distribute'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'petstore: The tables were not distributed: the database lacks the extension citus: run CREATE EXTENSION citus\n',
    });
  },
);

test.skipIf(onCitus())('each table of the migrations has a distribution', async () => {
  const tables = await runSql<{ name: string }>(
    await createDatabaseForTest(),
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const distributed = DISTRIBUTIONS.map(({ table }) => table);
  expect(tables.map(({ name }) => name).toSorted()).toEqual(distributed.toSorted());
});

// A table in place of the catalog of Citus makes the migrations take their branch for a distributed schema.
test.skipIf(onCitus())(
  'migrations of a distributed schema create no foreign key that Citus refuses',
  async () => {
    const { environment } = await createDatabaseForTest({ migrated: false });
    const dataSource = await openDataSource(environment);
    onTestFinished(() => dataSource.destroy());
    await dataSource.query('CREATE TABLE pg_dist_partition (logicalrelid regclass)');
    for (const migration of MIGRATIONS) {
      await migrate(dataSource, migration);
      await dataSource.query(`TRUNCATE pg_dist_partition`);
      for (const { table } of DISTRIBUTIONS) {
        await dataSource.query(
          'INSERT INTO pg_dist_partition SELECT to_regclass($1) WHERE to_regclass($1) IS NOT NULL',
          [table],
        );
      }
    }
    const sharded = DISTRIBUTIONS.filter(({ column }) => column !== undefined).map(({ table }) => table);
    // Citus has no foreign keys to distributed tables, and distributes no table with an identity column and a foreign key.
    expect(
      await dataSource.query(
        `SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text = ANY ($1)
       AND (confrelid::regclass::text = ANY ($1) OR EXISTS (
         SELECT FROM pg_attribute WHERE attrelid = conrelid AND attidentity <> ''))`,
        [sharded],
      ),
    ).toEqual([]);
  },
);

describe.runIf(onCitus())('on Citus', () => {
  const TABLES = `
    SELECT logicalrelid::text AS name, partmethod AS method, count(shardid)::int AS shards
    FROM pg_dist_partition JOIN pg_dist_shard USING (logicalrelid) GROUP BY 1, 2 ORDER BY 1`;

  const distributed = (shards: number) => [
    { name: 'account', method: 'n', shards: 1 },
    { name: 'api_key', method: 'n', shards: 1 },
    { name: 'idempotency_key', method: 'h', shards },
    { name: 'message', method: 'h', shards },
    { name: 'migration', method: 'n', shards: 1 },
    { name: 'pet', method: 'h', shards },
    { name: 'store_order', method: 'h', shards },
  ];

  const urlOnWorker = (url: string) => new URL(new URL(url).pathname, inject('workerUrls')[0]).href;

  const tablesOf = ({ environment }: Pick<TestDatabase, 'environment'>) =>
    query(environment.DATABASE_URL ?? '', TABLES);

  test('distribute distributes a migrated database once, with the rows that it has', async () => {
    const database = await createDatabaseForTest({ migrated: false });
    const { environment } = database;
    expect(await petstore(environment, ['distribute'])).toMatchObject({
      code: 1,
      stderr: 'petstore: The tables were not distributed: relation "pet" does not exist\n',
    });
    const service = await startServiceForTest(environment);
    const { client } = service;
    const pet = await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
    const { id } = pet.body as { id: bigint };
    const order = await client.post('/v1/store/orders', { petId: id });

    const run = () => petstore(environment, ['distribute', '--shards', '3']);
    expect(await run()).toMatchObject({ code: 0, stdout: 'the tables are distributed\n' });
    expect(await tablesOf(database)).toEqual(distributed(3));
    expect(await run()).toMatchObject({ code: 0, stdout: 'nothing to do\n' });

    expect((await client.get(`/v1/pets/${id}`)).text).toBe(pet.text);
    expect((await client.get('/v1/store/orders')).text).toBe(`[${order.text}]`);
    const next = await (await service.clientOf('other')).post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expect(next.body).toMatchObject({ id: id + 1n });
    const nextOrder = await client.post('/v1/store/orders', { petId: id });
    expect(nextOrder.body).toMatchObject({ id: (order.body as { id: bigint }).id + 1n });
  });

  test.each([4, 2, 1, 0])(
    'all migrations after the first %i can be undone and done again, and what they create distributed again',
    async (kept) => {
      const database = await createDatabaseForTest();
      const { environment } = database;
      const before = await tablesOf(database);
      const redone = MIGRATIONS.slice(kept);
      const undone = await petstore(environment, ['migrate', '--to', MIGRATIONS[kept - 1] ?? '0']);
      const names = redone.toReversed().map((name) => `undid ${name}\n`);
      expect(undone).toEqual({ code: 0, stdout: names.join(''), stderr: '' });
      const ran = redone.map((name) => `ran ${name}\n`);
      expect(await petstore(environment, ['migrate'])).toMatchObject({ code: 0, stdout: ran.join('') });
      expect(await petstore(environment, ['distribute', '--shards', '4'])).toMatchObject({ code: 0 });
      expect(await tablesOf(database)).toEqual(before);
    },
  );

  test('migrations and distribute belong to the coordinator, and a worker says so', async () => {
    const { environment } = await createDatabaseForTest({ migrated: false });
    const worker = { DATABASE_URL: urlOnWorker(environment.DATABASE_URL ?? '') };
    const reason =
      'DATABASE_URL names a worker of Citus. Migrations and `distribute` run on the coordinator only.\n';
    const failed = { code: 1, stdout: '', stderr: `petstore: ${reason}` };
    expect(await petstore(worker, ['migrate'])).toEqual(failed);
    expect(await petstore(worker, ['distribute'])).toMatchObject({
      code: 1,
      stderr: `petstore: The tables were not distributed: ${reason}`,
    });
    expect(await failToStart(worker)).toMatchObject({ code: 1, stderr: failed.stderr });
    expect(await query(worker.DATABASE_URL, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);

    expect(await petstore(environment, ['migrate'])).toMatchObject({ code: 0 });
    expect(await petstore(environment, ['distribute', '--shards', '3'])).toMatchObject({ code: 0 });
    expect(await petstore(worker, ['migrate'])).toMatchObject({ code: 0, stdout: 'nothing to do\n' });
    expect(await petstore(worker, ['migrate', '--to', '0'])).toEqual(failed);
    const service = await startServiceProcess(worker);
    expect(service.stdout()).toMatch(/Listening on .*, on PostgreSQL with Citus/);
    expect(await service.stop()).toMatchObject({ code: 0 });
  });

  test('concurrent creates are acknowledged if an operator has placed each shard on two workers', async () => {
    const { environment } = await createDatabaseForTest({ migrated: false });
    const url = environment.DATABASE_URL ?? '';
    expect(await petstore(environment, ['migrate'])).toMatchObject({ code: 0 });
    await query(
      url,
      `SET citus.shard_replication_factor = 2;
       SELECT create_distributed_table('pet', 'id', shard_count => 4, colocate_with => 'none')`,
    );
    expect(await petstore(environment, ['distribute', '--shards', '4'])).toMatchObject({ code: 0 });
    const { client } = await startServiceForTest(environment);
    const create = (number: number) => client.post('/v1/pets', { name: `${number}`, categoryId: 1 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => create(number)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  });

  test.each([
    [
      'a single connection, which a transaction would wait for',
      { DATABASE_POOL_SIZE: '1' },
      'DATABASE_POOL_SIZE: on Citus, a transaction needs a second connection for the ids of its rows',
    ],
    [
      'read replicas, which lack the rows of the workers',
      { DATABASE_REPLICA_URLS: 'postgres://127.0.0.1/postgres' },
      'DATABASE_REPLICA_URLS: on Citus, a standby of the coordinator does not contain the rows of the workers',
    ],
  ])('the service refuses to start with %s', async (_, settings, reason) => {
    const { environment } = await createDatabaseForTest();
    expect(await errorOfStart({ ...environment, ...settings })).toBe(reason);
  });
});
