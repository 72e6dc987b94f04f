import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import {
  createDatabase,
  createDatabaseForTest,
  onPostgres,
  runSql,
  type TestDatabase,
} from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { MIGRATIONS } from '../support/migrations.ts';
import {
  petstore,
  petstoreEach,
  petstoreInShell,
  petstoreUnprivileged,
  rowsOf,
} from '../support/petstore.ts';
import { unprivilegedUser } from '../support/postgres.ts';
import { startServiceForTest } from '../support/service.ts';

const CREATE = ['keys', 'create', '--account', 'acme'];

/** Returns SQL that adds keys to the first account. */
const addKeys = (count: number, label = "'old'") => `
  INSERT INTO api_key (account_id, label, hash, start)
  SELECT 1, ${label}, uuid_send(gen_random_uuid()), 'ps_old' FROM generate_series(1, ${count})`;

test('keys create prints only the key, keys list contains no secret, and a revoked key is refused', async () => {
  const { environment } = await createDatabaseForTest();
  const [created, second, revoked, listed] = await petstoreEach(environment, [
    CREATE,
    [...CREATE, '--label', 'till'],
    ['keys', 'revoke', '1'],
    ['keys', 'list'],
  ]);
  expect(created).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^ps_[0-9A-Za-z]{33}\n$/) as string,
    stderr: 'Created key 1 of the account acme. Copy it now: it is shown only once.\n',
  });
  const key = created?.stdout.trim() ?? '';
  const other = second?.stdout.trim() ?? '';
  expect(revoked?.stdout).toBe('revoked key 1\n');
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
  const common = { account: 'acme', createdAt: time, lastUsedAt: null };
  expect(rowsOf(listed)).toEqual([
    { id: 1, label: 'key', start: key.slice(0, 9), revokedAt: time, ...common },
    { id: 2, label: 'till', start: other.slice(0, 9), revokedAt: null, ...common },
  ]);

  const { client } = await startServiceForTest(environment);
  expect((await client.withKey(key).get('/v1/pets')).status).toBe(401);
  expect((await client.withKey(other).get('/v1/pets')).status).toBe(200);
});

// Within 5 seconds: keys.test.ts.
test.runIf(onPostgres())('a running service rejects a key that a command has revoked', async () => {
  const { database, client } = await startServiceForTest();
  const created = await petstore(database.environment, CREATE);
  const revoked = client.withKey(created.stdout.trim());
  expect((await revoked.get('/v1/pets')).status).toBe(200);
  const [, id = ''] = /^Created key (\d+)/.exec(created.stderr) ?? [];
  await petstore(database.environment, ['keys', 'revoke', id]);
  await expect.poll(async () => (await revoked.get('/v1/pets')).status, { interval: 100 }).toBe(401);
});

// On the embedded database, each of their commands starts for seconds.
test.runIf(onPostgres())(
  'keys create adds up to 100 keys to an existing account, also to one with the longest name of a visitor',
  async () => {
    const { environment } = await createDatabaseForTest();
    const name = `${'x'.repeat(64)}-8c1f0a3e`;
    await runSql({ environment }, `INSERT INTO account (name) VALUES ('${name}')`, addKeys(99));
    const create = () => petstore(environment, ['keys', 'create', '--account', name]);
    expect(await create()).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await create();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^petstore: [^\n]*100 active keys[^\n]* Revoke one[^\n]*\n$/);
  },
);

describe.runIf(onPostgres())('with 2500 keys', () => {
  // A double represents only every second of these ids.
  const ids = Array.from({ length: 2500 }, (_, index) => 9007199254740993n + BigInt(index));

  let database: TestDatabase;
  let environment: TestDatabase['environment'];
  beforeAll(async () => {
    database = await createDatabase();
    ({ environment } = database);
    await runSql(
      { environment },
      `SELECT setval(pg_get_serial_sequence('api_key', 'id'), 9007199254740992)`,
      `INSERT INTO account (name) VALUES ('acme')`,
      addKeys(2500, `E'\\u001b[2J\\nx'`),
    );
  });
  afterAll(() => database.drop());

  test('keys list prints a line for each in the order of their ids, escapes control characters, and prints no error when stdout is closed', async () => {
    const { code, stdout, stderr } = await petstore(environment, ['keys', 'list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = [...stdout.matchAll(/^\{"account":"acme","id":(\d+),"label":"\\u001b\[2J\\nx",/gm)];
    expect(found.map(([, id]) => BigInt(id ?? ''))).toEqual(ids);
    const script = '"$@" | head -n 3; exit ${PIPESTATUS[0]}';
    const cut = await petstoreInShell(environment, script, ['keys', 'list']);
    expect(cut).toEqual({ code: 0, stdout: stdout.split('\n', 3).join('\n') + '\n', stderr: '' });
  });

  test('a key that could not be printed can be revoked by the id on stderr', async () => {
    const args = ['keys', 'create', '--account', 'other'];
    const { code, stderr } = await petstoreInShell(environment, '"$@" > /dev/full', args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Created key 9007199254743493 .+\npetstore: cannot write to stdout: ENOSPC.*\n$/);
  });

  test('keys revoke reports in one line that there is no such key', async () => {
    expect(await petstore(environment, ['keys', 'revoke', '1'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'petstore: There is no active key with the id 1.\n',
    });
  });
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
      // Citus needs the setting; PostgreSQL ignores it.
      `SET citus.multi_shard_modify_mode TO 'sequential';
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
      // On Citus, an insert names the sequence of an identity column.
      `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
    );
    onTestFinished(async () => {
      await runSql({ environment }, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
    });
    Object.assign(url, { username: role, password: 'clerk' });
    const created = await petstore({ DATABASE_URL: url.href }, CREATE);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ps_/) as string });
  },
);

test('commands migrate the database and serve no metrics, whatever the settings of the service are', async () => {
  const { environment } = await createDatabaseForTest({ migrated: false });
  const settings = { MIGRATE_ON_START: 'false', METRICS_PORT: '0' };
  const [listed, migrated] = await petstoreEach({ ...environment, ...settings }, [
    ['keys', 'list'],
    ['migrate'],
  ]);
  expect(listed).toMatchObject({ code: 0, stdout: '' });
  expect(listed?.stderr).toContain('ran CreatePets');
  expect(listed?.stderr).not.toContain('metrics');
  expect(migrated).toEqual({ code: 0, stdout: 'nothing to do\n', stderr: '' });
});

// migrations.test.ts undoes migrations on both kinds of database.
test.runIf(onPostgres())(
  'migrate --to runs and undoes migrations up to one, and --status lists them',
  async () => {
    const { environment } = await createDatabaseForTest({ migrated: false });
    const run = async (...args: string[]) => (await petstore(environment, ['migrate', ...args])).stdout;
    const [first = '', second = '', third = ''] = MIGRATIONS;
    expect(await run('--to', third)).toBe(`ran ${first}\nran ${second}\nran ${third}\n`);
    expect(await run('--to', first)).toBe(`undid ${third}\nundid ${second}\n`);
    const status = await run('--status');
    expect(status.match(/\w+\d{13}/g)).toEqual(MIGRATIONS);
    expect(status.match(/"done"/g)).toHaveLength(1);
    const ran = MIGRATIONS.slice(1).map((name) => `ran ${name}\n`);
    expect(await petstore(environment, ['migrate'])).toEqual({ code: 0, stdout: ran.join(''), stderr: '' });
    expect(await petstore(environment, ['migrate', '--to', 'x'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'petstore: There is no migration x. The option --status lists the migrations.\n',
    });
  },
);

test.skipIf(onPostgres())('a DATA_DIR that is read-only is named in one line', async () => {
  const { environment } = await createDatabaseForTest();
  const directory = await makeDirectoryForTest();
  await cp(environment.DATA_DIR ?? '', directory, { recursive: true });
  execFileSync('chmod', ['-R', 'a=rX', directory]);
  const owner = unprivilegedUser();
  if (owner) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, directory]);
  const outcome = await petstoreUnprivileged({ DATA_DIR: directory }, ['keys', 'list']);
  expect(outcome).toMatchObject({ code: 1, stdout: '' });
  expect(outcome.stderr).toMatch(/^petstore: DATA_DIR: .*the embedded database.*\n$/);
  expect(outcome.stderr).toContain(directory);
});
