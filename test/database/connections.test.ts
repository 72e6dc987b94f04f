import { execFileSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Postgres, postgresIsInstalled, startPostgres, unprivilegedUser } from '../support/postgres.ts';
import { startServiceForTest } from '../support/service.ts';

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
    ['hostssl all tls all scram-sha-256', 'host all md5 all md5', 'host all postgres all trust'].join('\n'),
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
  ])('the service works on a server that requires %s', async (_, url) => {
    const { client } = await startServiceForTest({ DATABASE_URL: url() });
    const { body } = await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
    expect((await client.get('/v1/pets')).body).toContainEqual(body);
  });
});
