import { randomUUID } from 'node:crypto';
import { chmod, cp } from 'node:fs/promises';
import { join } from 'node:path';

import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { KeysService } from '#src/auth/keys/keys.service';
import { parseJsonWithBigints } from '#src/domain/json';

import { createDatabase, onPostgres, runSql, type TestDatabase } from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { petstore, petstoreInShell, petstoreUnprivileged } from '../support/petstore.ts';
import { startServiceForTest } from '../support/service.ts';

/** Returns SQL that adds keys to the first account. */
const addKeys = (count: number, label = "'old'") => `
  INSERT INTO api_key (account_id, label, hash, start)
  SELECT 1, ${label}, uuid_send(gen_random_uuid()), 'ps_old' FROM generate_series(1, ${count})`;

const oneTo = (end: number) => Array.from({ length: end }, (_, index) => index + 1);

async function createDatabaseForTest(options?: { migrated: boolean }): Promise<TestDatabase> {
  const database = await createDatabase(options);
  onTestFinished(() => database.drop());
  return database;
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

test('keys create prints only the key on the last line of stdout, and labels it "key" by default', async () => {
  const { environment } = await createDatabaseForTest();
  const created = await petstore(environment, ['keys', 'create', '--account', 'acme']);
  expect(created).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^[^\n]* acme[^\n]*\n$/) as string,
  });
  const key = lastLine(created.stdout);
  expect(key).toMatch(/^ps_[0-9A-Za-z]{33}$/);
  const { stdout } = await petstore(environment, ['keys', 'list', '--json']);
  expect(parseJsonWithBigints(stdout)).toMatchObject([{ account: 'acme', label: 'key' }]);
});

test('keys create creates an account once, and all its keys belong to it', async () => {
  const { environment } = await createDatabaseForTest();
  const create = async () =>
    lastLine((await petstore(environment, ['keys', 'create', '--account', 'acme', '--label', 'x'])).stdout);
  const [first, second] = [await create(), await create()];

  const { client } = await startServiceForTest(environment);
  const pet = (await client.post('/v1/pets', { name: 'Rex', categoryId: 1 })).body as { id: bigint };
  await client.withKey(first).post('/v1/store/orders', { petId: pet.id });
  const orders = await client.withKey(second).get('/v1/store/orders');
  expect(orders.body).toMatchObject([{ petId: pet.id }]);
});

test('keys list contains every key, but no secret and no hash', async () => {
  const { environment } = await createDatabaseForTest();
  // A double cannot represent the next id.
  await runSql({ environment }, `SELECT setval(pg_get_serial_sequence('api_key', 'id'), 9007199254740992)`);
  const { stdout } = await petstore(environment, ['keys', 'create', '--account', 'acme', '--label', 'till']);
  const key = lastLine(stdout);

  const asTable = await petstore(environment, ['keys', 'list']);
  const asJson = await petstore(environment, ['keys', 'list', '--json']);
  expect(asTable.stdout).toMatch(/^9007199254740993 +acme +till +ps_/m);
  expect(parseJsonWithBigints(asJson.stdout)).toEqual([
    {
      id: 9007199254740993n,
      account: 'acme',
      label: 'till',
      start: key.slice(0, 9),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      lastUsedAt: null,
      revokedAt: null,
    },
  ]);
  for (const { code, stdout } of [asTable, asJson]) {
    expect(code).toBe(0);
    expect(stdout).not.toContain(key.slice(0, 10));
    expect(stdout).not.toMatch(/hash/i);
  }
});

test('keys create accepts the name of an account that a visitor created, however long it is', async () => {
  const { environment } = await createDatabaseForTest();
  const name = `${'x'.repeat(64)}-8c1f0a3e`;
  await runSql({ environment }, `INSERT INTO account (name) VALUES ('${name}')`);
  expect(await petstore(environment, ['keys', 'create', '--account', name])).toMatchObject({ code: 0 });
  const { stdout } = await petstore(environment, ['keys', 'list']);
  expect(stdout).toMatch(new RegExp(`^1 +${name} +key `, 'm'));
});

test('keys create for an account with 100 active keys suggests in one line to revoke one', async () => {
  const { environment } = await createDatabaseForTest();
  await runSql({ environment }, `INSERT INTO account (name) VALUES ('acme')`, addKeys(100));
  const { code, stdout, stderr } = await petstore(environment, ['keys', 'create', '--account', 'acme']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^petstore: [^\n]*100 active keys[^\n]* Revoke one[^\n]*\n$/);
});

test('a label can neither break the table of keys nor control the terminal', async () => {
  const { environment } = await createDatabaseForTest();
  await runSql(
    { environment },
    `INSERT INTO account (name) VALUES ('acme')`,
    addKeys(1, `E'\\u001b[2J\\nx\\u202e'`),
  );
  const { stdout } = await petstore(environment, ['keys', 'list']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stdout).toContain('\\u{1b}[2J\\u{a}x\\u{202e}');
});

describe('keys list of 2500 keys', () => {
  let database: TestDatabase;
  let environment: TestDatabase['environment'];
  beforeAll(async () => {
    database = await createDatabase();
    ({ environment } = database);
    await runSql({ environment }, `INSERT INTO account (name) VALUES (repeat('🐱', 10000))`, addKeys(2500));
  });
  afterAll(() => database.drop());

  test('prints each once, in the order of their ids, under one line of headings, and truncates long cells', async () => {
    const { code, stdout, stderr } = await petstore(environment, ['keys', 'list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [headings, ...lines] = stdout.trimEnd().split('\n');
    expect(headings).toMatch(/^ID +ACCOUNT +LABEL +START +CREATED +LAST USED +REVOKED$/);
    expect(lines.map((line) => Number(line.split(' ')[0]))).toEqual(oneTo(2500));
    expect(stdout, 'a long cell is truncated').toContain('🐱…');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(300);
  });

  test('prints one JSON array with --json', async () => {
    const { stdout } = await petstore(environment, ['keys', 'list', '--json']);
    expect((parseJsonWithBigints(stdout) as { id: bigint }[]).map(({ id }) => Number(id))).toEqual(
      oneTo(2500),
    );
  });

  test.each([[[]], [['--json']]])('ends without an error when stdout is closed, with %j', async (options) => {
    const outcome = await petstoreInShell(environment, '"$@" | head -n 3; exit ${PIPESTATUS[0]}', [
      ...['keys', 'list'],
      ...options,
    ]);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  test('reports a full disk in one line', async () => {
    const { code, stderr } = await petstoreInShell(environment, '"$@" > /dev/full', ['keys', 'list']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^petstore: cannot write to stdout: ENOSPC[^\n]*\n$/);
  });
});

test('the keys of all accounts are read page by page', async () => {
  const service = await startServiceForTest();
  await service.app.get(DataSource).query(addKeys(2499));
  const pages = await Array.fromAsync(service.app.get(KeysService).list());
  expect(pages.map(({ length }) => length)).toEqual([1000, 1000, 500]);
});

test('a key that could not be printed can be revoked by the id on stderr', async () => {
  const { environment } = await createDatabaseForTest();
  const { code, stderr } = await petstoreInShell(environment, '"$@" > /dev/full', [
    ...['keys', 'create', '--account', 'acme'],
  ]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Created key 1 [^\n]*\npetstore: cannot write to stdout: ENOSPC[^\n]*\n$/);
});

test('keys revoke revokes a key once, and the service that starts next refuses it', async () => {
  const { environment } = await createDatabaseForTest();
  const create = ['keys', 'create', '--account', 'acme'];
  const [revoked, kept] = [
    lastLine((await petstore(environment, create)).stdout),
    lastLine((await petstore(environment, create)).stdout),
  ];
  expect(await petstore(environment, ['keys', 'revoke', '1'])).toMatchObject({ code: 0, stderr: '' });
  expect(await petstore(environment, ['keys', 'revoke', '1'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'petstore: There is no active key with the id 1.\n',
  });
  const { stdout } = await petstore(environment, ['keys', 'list', '--json']);
  expect(parseJsonWithBigints(stdout)).toMatchObject([
    { revokedAt: expect.any(String) as string },
    { revokedAt: null },
  ]);

  const { client } = await startServiceForTest(environment);
  expect((await client.withKey(revoked).get('/v1/pets')).status).toBe(401);
  expect((await client.withKey(kept).get('/v1/pets')).status).toBe(200);
});

test.runIf(onPostgres())('a running service rejects a revoked key within 5 seconds', async () => {
  const { database, client } = await startServiceForTest();
  const created = await petstore(database.environment, ['keys', 'create', '--account', 'acme']);
  const revoked = client.withKey(lastLine(created.stdout));
  expect((await revoked.get('/v1/pets')).status).toBe(200);
  const { stdout } = await petstore(database.environment, ['keys', 'list', '--json']);
  const id = (parseJsonWithBigints(stdout) as { id: bigint; account: string }[]).find(
    (key) => key.account === 'acme',
  )?.id;
  await petstore(database.environment, ['keys', 'revoke', String(id)]);
  await expect
    .poll(async () => (await revoked.get('/v1/pets')).status, { timeout: 5000, interval: 100 })
    .toBe(401);
});

test('a command migrates the database and serves no metrics, independently of the settings of the service', async () => {
  const { environment } = await createDatabaseForTest({ migrated: false });
  const { code, stdout, stderr } = await petstore(
    { ...environment, MIGRATE_ON_START: 'false', METRICS_PORT: '0' },
    ['keys', 'list', '--json'],
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(parseJsonWithBigints(stdout)).toEqual([]);
});

test.runIf(onPostgres())(
  'a command needs no right to create tables when no migration is pending',
  async () => {
    const { environment } = await createDatabaseForTest();
    const role = `clerk_${randomUUID().replaceAll('-', '')}`;
    const url = new URL(environment.DATABASE_URL ?? '');
    await runSql(
      { environment },
      `CREATE ROLE ${role} LOGIN PASSWORD 'clerk'`,
      `REVOKE CREATE ON SCHEMA public FROM PUBLIC`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    onTestFinished(async () => {
      await runSql({ environment }, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
    });
    Object.assign(url, { username: role, password: 'clerk' });
    const created = await petstore({ DATABASE_URL: url.href }, ['keys', 'create', '--account', 'acme']);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ps_/) as string });
  },
);

test('migrate prints the migrations that it ran, runs each once, and undoes the last one with --undo', async () => {
  const { environment } = await createDatabaseForTest({ migrated: false });
  const migrate = async (...options: string[]) => {
    const { code, stdout, stderr } = await petstore(environment, ['migrate', ...options]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.trimEnd().split('\n');
  };
  const all = await migrate();
  expect(all[0]).toMatch(/^ran CreateAccountsAndKeys\d+$/);
  expect(await migrate()).toEqual(['nothing to do']);
  const last = all.at(-1) ?? '';
  expect(await migrate('--undo')).toEqual([last.replace('ran', 'undid')]);
  expect(await migrate()).toEqual([last]);
});

test.skipIf(onPostgres())('a command reports that another process uses the embedded database', async () => {
  const { database } = await startServiceForTest();
  for (const command of [['keys', 'list'], ['migrate']]) {
    const { code, stdout, stderr } = await petstore(database.environment, command);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^petstore: [^\n]* another process uses it\n$/);
  }
});

test.skipIf(onPostgres()).each([
  ['all of it', 0o444],
  ['all but the file of the lock', 0o666],
])('a DATA_DIR that is read-only (%s) is named in one line', async (_what, mode) => {
  const { environment } = await createDatabaseForTest();
  const directory = await makeDirectoryForTest();
  await cp(environment.DATA_DIR ?? '', directory, { recursive: true });
  await chmod(join(directory, 'petstore.lock'), mode);
  await chmod(directory, 0o555);
  const outcome = await petstoreUnprivileged({ DATA_DIR: directory }, ['keys', 'list']);
  expect(outcome).toMatchObject({ code: 1, stdout: '' });
  expect(outcome.stderr).toMatch(/^petstore: DATA_DIR: [^\n]* cannot be opened: [^\n]+\n$/);
  expect(outcome.stderr).toContain(directory);
});
