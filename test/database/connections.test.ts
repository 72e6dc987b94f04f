import { randomUUID } from 'node:crypto';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { KeysService, TooManyKeys } from '#src/auth/keys/keys.service';
import { Database } from '#src/database/database';
import { Unavailable } from '#src/domain/errors';

import { createCertificate } from '../support/certificate.ts';
import { petstoreProcess } from '../support/petstore.ts';
import { type Postgres, postgresIsInstalled, startPostgres, unprivilegedUser } from '../support/postgres.ts';
import { query } from '../support/query.ts';
import { errorOfStart, startServiceForTest } from '../support/service.ts';

/** Configures a server to require passwords, and TLS for the user `tls`. */
async function secure(postgres: Postgres): Promise<void> {
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(`CREATE ROLE tls SUPERUSER LOGIN PASSWORD 'secret'; SET password_encryption = md5`);
  await client.query(`CREATE ROLE md5 SUPERUSER LOGIN PASSWORD 'secret'`);
  await client.query('ALTER SYSTEM SET ssl = on');
  await client.end();
  const file = (name: string) => join(postgres.dataDirectory, name);
  writeFileSync(
    file('pg_hba.conf'),
    [
      'hostssl all tls all scram-sha-256',
      'host all md5 all md5',
      'host all postgres all trust',
      'local all postgres trust',
    ].join('\n'),
  );
  const { certificate, key } = createCertificate(postgres.dataDirectory);
  const user = unprivilegedUser();
  if (user) for (const path of [certificate, key]) chownSync(path, user.uid, user.gid);
  await postgres.stop();
  await postgres.start();
}

describe.skipIf(!postgresIsInstalled())('on PostgreSQL (skipped without its binaries)', () => {
  let postgres: Postgres;
  const urlFor = (user: string, parameters = '') =>
    postgres.url.replace('postgres@', `${user}:secret@`) + parameters;

  beforeAll(async () => {
    postgres = await startPostgres(['fsync = off', `unix_socket_directories = '.'`]);
    await secure(postgres);
  });
  afterAll(() => postgres.remove());

  test.each([
    ['TLS and a password', () => urlFor('tls', '?sslmode=no-verify')],
    ['a password by MD5', () => urlFor('md5')],
    ['no password', () => postgres.url],
    [
      'a Unix socket',
      () => `postgres://postgres@/postgres?host=${postgres.dataDirectory}&port=${new URL(postgres.url).port}`,
    ],
  ])('the service works on a server that requires %s', async (_, url) => {
    const { client } = await startServiceForTest({ DATABASE_URL: url(), DATABASE_REPLICA_URLS: url() });
    const { body } = await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
    expect((await client.get('/v1/pets')).body).toContainEqual(body);
  });

  describe('with TLS and a certificate that no public authority signed', () => {
    const verified = (parameters: string) =>
      urlFor('tls', `?sslmode=verify-full${parameters}`).replace('127.0.0.1', 'localhost');
    const file = () => join(postgres.dataDirectory, 'server.crt');

    test('the service works with sslrootcert', async () => {
      const { client } = await startServiceForTest({ DATABASE_URL: verified(`&sslrootcert=${file()}`) });
      expect((await client.get('/v1/pets')).status).toBe(200);
    });

    test('the service works with PGSSLROOTCERT and PGSSLMODE', async () => {
      // pg reads this variable itself.
      vi.stubEnv('PGSSLMODE', 'verify-full');
      onTestFinished(() => void vi.unstubAllEnvs());
      const DATABASE_URL = urlFor('tls').replace('127.0.0.1', 'localhost');
      const { client } = await startServiceForTest({ DATABASE_URL, PGSSLROOTCERT: file() });
      expect((await client.get('/v1/pets')).status).toBe(200);
      const withoutAuthority = await errorOfStart({ DATABASE_URL });
      expect(withoutAuthority).toContain('self-signed certificate');
    });

    test('a command works with NODE_EXTRA_CA_CERTS', async () => {
      // Node reads this variable when a process starts.
      const environment = { DATABASE_URL: verified(''), NODE_EXTRA_CA_CERTS: file() };
      expect(await petstoreProcess(environment, ['keys', 'list'])).toMatchObject({ code: 0, stderr: '' });
    });

    test.each([
      ['unknown', () => verified(''), 'self-signed certificate'],
      [
        'of another host',
        () => `${verified('').replace('localhost', '127.0.0.1')}&sslrootcert=${file()}`,
        `Hostname/IP does not match certificate's altnames`,
      ],
    ])('a start fails with one line if the certificate is %s', async (_, url, reason) => {
      const line = new RegExp(`^the database cannot be reached: ${reason}[^\n]*$`);
      expect(await errorOfStart({ DATABASE_URL: url() })).toMatch(line);
    });
  });

  test.each(['100%', 'p%ss', '%'])('a password may be %s, without percent-encoding', async (password) => {
    await query(postgres.url, `ALTER ROLE md5 PASSWORD '${password}'`);
    onTestFinished(() => query(postgres.url, `ALTER ROLE md5 PASSWORD 'secret'`).then(() => undefined));
    const address = postgres.url.replace('postgres@', `md5:${password}@`);
    const { client } = await startServiceForTest({ DATABASE_URL: address, DATABASE_REPLICA_URLS: address });
    expect((await client.get('/v1/pets')).status).toBe(200);
  });

  test('the options of DATABASE_URL add to the settings of the service, and override them', async () => {
    const { app } = await startServiceForTest({
      DATABASE_URL: urlFor('md5', '?options=-c%20work_mem%3D5MB%20-c%20lock_timeout%3D1234'),
    });
    const names = ['plan_cache_mode', 'statement_timeout', 'work_mem', 'lock_timeout'];
    const columns = names.map((name) => `current_setting('${name}') AS ${name}`);
    const settings = { name: 'settings', text: `SELECT ${columns.join(', ')}` };
    expect(await app.get(Database).query(settings, [])).toEqual([
      {
        plan_cache_mode: 'force_generic_plan',
        statement_timeout: '5s',
        work_mem: '5MB',
        lock_timeout: '1234ms',
      },
    ]);
  });

  test('times are exact, whatever the format of times of the role', async () => {
    await query(
      postgres.url,
      `ALTER ROLE md5 SET DateStyle = 'SQL, DMY'; ALTER ROLE md5 SET TimeZone = 'Asia/Kathmandu'`,
    );
    onTestFinished(() => query(postgres.url, 'ALTER ROLE md5 RESET ALL').then(() => undefined));
    const { client } = await startServiceForTest({ DATABASE_URL: urlFor('md5') });
    const pet = (await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 })).body as { id: bigint };
    const before = Date.now();
    const { body } = await client.post('/v1/store/orders', { petId: pet.id });
    const createdAt = Date.parse((body as { createdAt: string }).createdAt);
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(Date.now());
  });

  test('an account gets exactly 100 keys at once, although the default of the role is serializable', async () => {
    await query(postgres.url, `ALTER ROLE md5 SET default_transaction_isolation = 'serializable'`);
    onTestFinished(() => query(postgres.url, 'ALTER ROLE md5 RESET ALL').then(() => undefined));
    const { app } = await startServiceForTest({ DATABASE_URL: urlFor('md5') });
    const keys = app.get(KeysService);
    const create = (): Promise<unknown> =>
      keys.createFor('serializable', 'test').catch((error: unknown) => {
        // A busy machine sheds some of them.
        if (error instanceof Unavailable) return create();
        throw error;
      });
    const attempts = Array.from({ length: 110 }, create);
    const outcomes = await Promise.allSettled(attempts);
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).toEqual(Array(10).fill(expect.any(TooManyKeys)));
  });

  test.each([
    [
      'cannot store every character',
      `ENCODING 'LATIN1' TEMPLATE template0`,
      [],
      'DATABASE_URL: the encoding of the database is LATIN1',
    ],
    [
      'is read-only',
      '',
      ['SET default_transaction_read_only = on'],
      'the database cannot be reached: it is read-only, as a standby, or because default_transaction_read_only is on',
    ],
    [
      'has no schema for its tables',
      '',
      [`SET search_path = absent`],
      'The migration CreateAccountsAndKeys1763596800000 failed and was rolled back: no schema has been selected to create in',
    ],
  ])(
    'on a database that %s, a start fails with one line that says so',
    async (_, options, settings, message) => {
      await query(postgres.url, `CREATE DATABASE odd ${options}`);
      onTestFinished(() => query(postgres.url, 'DROP DATABASE odd').then(() => undefined));
      for (const setting of settings) await query(postgres.url, `ALTER DATABASE odd ${setting}`);
      const DATABASE_URL = postgres.url.replace(/postgres$/, 'odd');
      const line = await errorOfStart({ DATABASE_URL, DATABASE_START_TIMEOUT_MS: '100' });
      expect(line).toMatch(new RegExp(`^${message}[^\n]*$`));
    },
  );

  test.each([
    ['creates', () => ({})],
    ['creates with an Idempotency-Key', () => ({ 'idempotency-key': randomUUID() })],
  ])('when a migration changes the type of a column, %s succeed after one 503', async (_, makeHeaders) => {
    const { client } = await startServiceForTest({ DATABASE_URL: postgres.url });
    const create = (headers = makeHeaders()) =>
      client.post('/v1/pets', { name: 'Kitty', categoryId: 1 }, { headers });
    const createMany = async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => create()));
      return new Set(answers.map(({ status }) => status));
    };
    const changeType = (type: string) =>
      query(postgres.url, `ALTER TABLE pet ALTER COLUMN name TYPE ${type}`);
    await createMany();
    await changeType('varchar(30000)');
    onTestFinished(() => changeType('text').then(() => undefined));
    const headers = makeHeaders();
    expect((await create(headers)).status).toBe(503);
    expect((await create(headers)).status).toBe(201);
    expect(await createMany()).toEqual(new Set([201]));
  });
});
