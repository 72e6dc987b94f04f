import { expect, onTestFinished, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { dataSourceOptions, openDataSource } from '#src/database/data-source';
import { parseJsonWithBigints } from '#src/domain/json';

import { createDatabase, onPostgres, type TestDatabase } from './support/database.ts';
import { petstore } from './support/petstore.ts';
import { startServiceForTest } from './support/service.ts';

async function createDatabaseForTest(options?: { migrated: boolean }): Promise<TestDatabase> {
  const database = await createDatabase(options);
  onTestFinished(() => database.drop());
  return database;
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

test('keys create prints the key alone on the last line of stdout, and the key opens the service', async () => {
  const { environment } = await createDatabaseForTest();
  const { code, stdout } = await petstore(environment, ['keys', 'create', '--account', 'acme']);
  expect(code).toBe(0);
  const key = lastLine(stdout);
  expect(key).toMatch(/^ps_[0-9A-Za-z]{33}$/);

  const { client } = await startServiceForTest(environment);
  expect((await client.withKey(key).get('/v1/pets')).status).toBe(200);
});

test('keys create makes an account once, and gives keys of one name to one account', async () => {
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

test('keys list tells of every key and shows neither a key nor its hash', async () => {
  const { environment } = await createDatabaseForTest();
  // The next id is one that a double cannot hold.
  const dataSource = await openDataSource(dataSourceOptions(readConfig(environment)));
  await dataSource.query('ALTER TABLE api_key ALTER COLUMN id RESTART WITH 9007199254740993');
  await dataSource.destroy();
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

test('a label can neither break the table of keys nor send commands to the terminal', async () => {
  const { environment } = await createDatabaseForTest();
  await petstore(environment, ['keys', 'create', '--account', 'acme', '--label', '\u001b[2J\nx\u202e']);
  const { stdout } = await petstore(environment, ['keys', 'list']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stdout).toContain('\\u{1b}[2J\\u{a}x\\u{202e}');
});

test('a revoked key is refused by the service that starts next', async () => {
  const { environment } = await createDatabaseForTest();
  const create = ['keys', 'create', '--account', 'acme'];
  const [revoked, kept] = [
    lastLine((await petstore(environment, create)).stdout),
    lastLine((await petstore(environment, create)).stdout),
  ];
  expect(await petstore(environment, ['keys', 'revoke', '1'])).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await petstore(environment, ['keys', 'list', '--json']);
  expect(parseJsonWithBigints(stdout)).toMatchObject([
    { revokedAt: expect.any(String) as string },
    { revokedAt: null },
  ]);

  const { client } = await startServiceForTest(environment);
  expect((await client.withKey(revoked).get('/v1/pets')).status).toBe(401);
  expect((await client.withKey(kept).get('/v1/pets')).status).toBe(200);
});

test.runIf(onPostgres())('a service that runs refuses a revoked key within 5 seconds', async () => {
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

test('keys revoke of a key that is unknown, or revoked already, says so in one line', async () => {
  const { environment } = await createDatabaseForTest();
  const refused = { code: 1, stdout: '', stderr: 'petstore: There is no key in force with the id 1.\n' };
  expect(await petstore(environment, ['keys', 'revoke', '1'])).toEqual(refused);
  await petstore(environment, ['keys', 'create', '--account', 'acme']);
  await petstore(environment, ['keys', 'revoke', '1']);
  expect(await petstore(environment, ['keys', 'revoke', '1'])).toEqual(refused);
});

test('every command that needs the schema makes it, whatever MIGRATE_ON_START says', async () => {
  const { environment } = await createDatabaseForTest({ migrated: false });
  const { code, stdout } = await petstore({ ...environment, MIGRATE_ON_START: 'false' }, [
    'keys',
    'list',
    '--json',
  ]);
  expect(code).toBe(0);
  expect(parseJsonWithBigints(stdout)).toEqual([]);
});

test('a command serves no metrics, whatever METRICS_PORT says', async () => {
  const { environment } = await createDatabaseForTest();
  const outcome = await petstore({ ...environment, METRICS_PORT: '0' }, ['keys', 'list']);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
});

test('migrate tells what it ran, runs nothing twice, and takes back the last one with --undo', async () => {
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

test.skipIf(onPostgres())('a command that finds the embedded database in use names the process', async () => {
  const { database } = await startServiceForTest();
  for (const command of [['keys', 'list'], ['migrate']]) {
    const { code, stdout, stderr } = await petstore(database.environment, command);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^petstore: [^\\n]* in use by the process ${process.pid}\\.[^\\n]*\\n$`),
    );
  }
});

test.each([
  [{ PORT: 'http' }, 'PORT: "http" is not a whole number'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL: not an address'],
  [{ DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'the database cannot be reached: '],
  [{ DATA_DIR: '/dev/null/data' }, 'DATA_DIR: "/dev/null/data" cannot hold the embedded database'],
])('a wrong environment (%o) is told in one line', async (environment, line) => {
  const { code, stdout, stderr } = await petstore(environment, ['keys', 'list']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^petstore: [^\n]+\n$/);
  expect(stderr).toContain(line);
});

test.each([
  [[]],
  [['nope']],
  [['keys', 'create']],
  [['keys', 'create', '--account', '']],
  [['keys', 'revoke']],
  [['keys', 'revoke', 'abc']],
  [['keys', 'revoke', '9223372036854775808']],
  [['import']],
  [['import', '-', '--format', 'xml']],
])('wrong usage (%j) is told on stderr, before the environment is looked at', async (args) => {
  const { code, stdout, stderr } = await petstore({ PORT: 'wrong' }, args);
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^(error: |Usage: )/);
});

test.each([
  [[], ['migrate', 'keys', 'import']],
  [['migrate'], ['--undo']],
  [['keys'], ['create', 'list', 'revoke']],
  [
    ['keys', 'create'],
    ['--account', '--label'],
  ],
  [['keys', 'list'], ['--json']],
  [['keys', 'revoke'], ['id']],
  [['import'], ['--format', '--strict', 'Exit codes', '0  ', '1  ', '2  ']],
])('petstore %j --help tells of %j', async (command, words) => {
  const { code, stdout } = await petstore({ PORT: 'wrong' }, [...command, '--help']);
  expect(code).toBe(0);
  for (const word of words) expect(stdout).toContain(word);
});
