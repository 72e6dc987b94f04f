import { execFileSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { Database } from '#src/database/database';

import { type Postgres, postgresIsInstalled, startPostgres, unprivilegedUser } from '../support/postgres.ts';
import { query } from '../support/query.ts';
import { startServiceForTest } from '../support/service.ts';
import { importWithPause } from '../support/slow-import.ts';

/** Configures a server to require passwords, and TLS for the user `tls`. */
async function secure(postgres: Postgres): Promise<void> {
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(`CREATE ROLE tls SUPERUSER LOGIN PASSWORD 'secret'; SET password_encryption = md5`);
  await client.query(`CREATE ROLE md5 SUPERUSER LOGIN PASSWORD 'secret'`);
  await client.query(`CREATE ROLE percent SUPERUSER LOGIN PASSWORD 'p%ss 100%'`);
  await client.query('ALTER SYSTEM SET ssl = on');
  await client.end();
  const file = (name: string) => join(postgres.dataDirectory, name);
  writeFileSync(
    file('pg_hba.conf'),
    ['hostssl all tls all scram-sha-256', 'host all md5,percent all md5', 'host all postgres all trust'].join(
      '\n',
    ),
  );
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-subj', '/CN=localhost'];
  execFileSync('openssl', [...request, '-keyout', file('server.key'), '-out', file('server.crt')], {
    stdio: 'pipe',
  });
  const user = unprivilegedUser();
  if (user) for (const name of ['server.key', 'server.crt']) chownSync(file(name), user.uid, user.gid);
  await postgres.stop();
  await postgres.start();
}

describe.skipIf(!postgresIsInstalled())('on PostgreSQL (skipped without its binaries)', () => {
  let postgres: Postgres;
  const urlFor = (user: string, parameters = '') =>
    postgres.url.replace('postgres@', `${user}:secret@`) + parameters;

  beforeAll(async () => {
    postgres = await startPostgres(['fsync = off']);
    await secure(postgres);
  });
  afterAll(() => postgres.remove());

  test.each([
    ['TLS and a password', () => urlFor('tls', '?sslmode=no-verify')],
    ['a password by MD5', () => urlFor('md5')],
    ['no password', () => postgres.url],
    ['a password with a raw %', () => postgres.url.replace('postgres@', 'percent:p%ss 100%@')],
  ])('the service works on a server that requires %s', async (_, url) => {
    const { client } = await startServiceForTest({ DATABASE_URL: url() });
    const { body } = await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
    expect((await client.get('/v1/pets')).body).toContainEqual(body);
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

  test('an import may be idle for longer than the timeout of its role', async () => {
    await query(postgres.url, 'ALTER ROLE md5 SET idle_in_transaction_session_timeout = 100');
    const outcome = await importWithPause(postgres.url, { DATABASE_URL: urlFor('md5') });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toContain('imported 3001, refused 0, in ');
  });
});
