import { execFileSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { OneBufferSocket } from '#src/database/one-buffer-socket';
import { WatchedClient } from '#src/database/watched-client';

import { type Postgres, postgresIsInstalled, startPostgres, unprivilegedUser } from './support/postgres.ts';
import { message, poolFor } from './support/scripted-server.ts';
import { startServiceForTest } from './support/service.ts';

const streamOf = (client: pg.ClientBase) => (client as WatchedClient).connection.stream as Socket;

const notice = (text: string) => message('N', `SNOTICE\0M${text}\0\0`);
const DONE = Buffer.concat([message('C', 'SELECT 1\0'), message('Z', 'I')]);

/** A connection to a server that says this, as {@link poolFor} has it, and what it was told in notices. */
async function connectTo(answers: Buffer[], heard: unknown[]): Promise<pg.PoolClient> {
  const client = await (await poolFor(...answers)).connect();
  onTestFinished(() => client.release(true));
  return client.on('notice', (told) => heard.push(told.message));
}

test('an answer in two parts is not mixed with what arrives on another connection in between', async () => {
  const heard: unknown[] = [];
  const answer = Buffer.concat([notice('of the first'), DONE]);
  const first = await connectTo([answer.subarray(0, 10), answer.subarray(10)], heard);
  const second = await connectTo([Buffer.concat([notice('of the second'), DONE])], heard);
  const before = streamOf(first).bytesRead;
  const answered = first.query('SELECT 1');
  await expect.poll(() => streamOf(first).bytesRead).toBe(before + 10);
  await second.query('SELECT 1');
  streamOf(first).write('go on');
  await answered;
  expect(heard).toEqual(['of the second', 'of the first']);
});

/** Has a server demand passwords, and TLS of the user of that name. */
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
    ['nothing', () => postgres.url],
  ])('a server that demands %s is served from', async (_, url) => {
    const { client } = await startServiceForTest({ DATABASE_URL: url() });
    const { body } = await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
    expect((await client.get('/v1/pets')).body).toContainEqual(body);
  });

  test.each([
    ['in plain text, all into one buffer', () => postgres.url, false],
    ['under TLS, as Node does', () => urlFor('tls', '?sslmode=no-verify'), true],
  ])('what arrives is read %s', async (_, url, encrypted) => {
    const client = new WatchedClient({ connectionString: url() });
    await client.connect();
    const stream = streamOf(client);
    await client.end();
    expect(stream instanceof OneBufferSocket).toBe(!encrypted);
    expect('encrypted' in stream).toBe(encrypted);
  });
});
