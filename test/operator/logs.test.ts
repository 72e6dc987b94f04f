import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createDatabase, createDatabaseForTest, runSql } from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { signUp } from '../support/key.ts';
import { freePort } from '../support/postgres.ts';
import {
  LIST_MODULES,
  type ListeningProcess,
  MAIN,
  spawnService,
  startServiceProcess,
} from '../support/process.ts';

interface Line {
  level: number;
  msg: string;
  requestId?: string;
  method?: string;
  route?: string | null;
  status?: number | null;
  durationMs?: number;
  err?: { type: string; message: string; stack: string };
}

function linesOf(service: ListeningProcess): Line[] {
  const lines = service.stdout().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
}

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

describe('at the level trace', () => {
  const ends: (() => Promise<void>)[] = [];
  let service: ListeningProcess;
  let key: string;
  beforeAll(async () => {
    const database = await createDatabase();
    await runSql(
      database,
      'ALTER TABLE store_order DROP COLUMN status',
      'ALTER TABLE pet ADD CONSTRAINT refuse_all CHECK (false)',
      'DELETE FROM migration WHERE id = (SELECT max(id) FROM migration)',
    );
    const environment = { TRUST_PROXY: 'loopback', LOG_LEVEL: 'trace', MIGRATE_ON_START: 'false' };
    service = await startServiceProcess(
      { ...database.environment, ...environment },
      (end) => ends.push(end),
      [...LIST_MODULES, MAIN],
    );
    ends.push(() => database.drop());
    key = await signUp(service.url);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  const send = (path: string, { headers, ...init }: Init = {}) =>
    fetch(service.url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...headers } });

  const linesAbout = (requestId: string) => linesOf(service).filter((line) => line.requestId === requestId);

  /** Sends a request. Returns its response and its line. */
  async function lineOf(
    path: string,
    { headers, ...init }: Init = {},
  ): Promise<[Response, Line | undefined]> {
    const requestId = randomUUID();
    const answer = await send(path, { ...init, headers: { ...headers, 'x-request-id': requestId } });
    await expect.poll(() => linesAbout(requestId)).toHaveLength(1);
    return [answer, linesAbout(requestId)[0]];
  }

  test('a start without a delivery logs that messages wait', () => {
    const messages = linesOf(service).map(({ msg }) => msg);
    expect(messages).toContain('Messages wait in the queue: MESSAGE_WEBHOOK_URL is not set');
  });

  test.each([
    { path: '/v1/pets?limit=5', method: 'GET', route: '/v1/pets', status: 200 },
    { path: '/v1/pets/42', method: 'GET', route: '/v1/pets/:petId', status: 404 },
    { path: '/v1/pets', method: 'POST', route: '/v1/pets', status: 400 },
    { path: '/nowhere', method: 'GET', route: null, status: 404 },
  ])(
    '$method $path has one line with its id, method, route template, status and duration',
    async ({ path, method, route, status }) => {
      const [, line] = await lineOf(path, { method });
      expect(line).toMatchObject({ level: 30, msg: 'request', method, route, status });
      expect(line?.durationMs).toBeGreaterThan(0);
    },
  );

  test('the line of a request has the account, the key, the address of the client, and the sizes', async () => {
    const body = '{"message":"hello"}';
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.7' };
    const [answer, line] = await lineOf('/v1/messages', { method: 'POST', headers, body });
    expect(line).toMatchObject({
      accountId: expect.stringMatching(/^\d+$/) as string,
      keyId: expect.stringMatching(/^\d+$/) as string,
      clientAddress: '192.0.2.7',
      requestBytes: body.length,
      responseBytes: (await answer.text()).length,
    });
  });

  test('the line of a request whose client went away has the address, and no status and no size', async () => {
    const requestId = randomUUID();
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${requestId}`;
    const body = 'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue';
    socket.write(`${head}\r\n${body}\r\n\r\n`);
    // The service invites the body, so it has received the request.
    await once(socket, 'data');
    socket.resetAndDestroy();
    await expect.poll(() => linesAbout(requestId)).toHaveLength(1);
    const [line] = linesAbout(requestId);
    expect(line).toMatchObject({ clientAddress: '127.0.0.1', aborted: true, status: null, requestBytes: 0 });
  });

  test('the line of a request without a key has no key', async () => {
    const [, line] = await lineOf('/v1/pets', { headers: { authorization: '' } });
    expect(line).toMatchObject({ clientAddress: '127.0.0.1', requestBytes: 0 });
    expect(line).not.toHaveProperty('keyId');
  });

  test('health checks are logged at debug', async () => {
    const [, line] = await lineOf('/health/live');
    expect(line).toMatchObject({ level: 20, route: '/health/live', status: 200 });
  });

  test('an internal error is logged with its cause and the request id, which the response does not contain', async () => {
    const answers: Response[] = [];
    const logged: unknown[] = [];
    for (const [path, init] of [
      ['/v1/store/orders', {}],
      [
        '/v1/pets',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"name":"s3cret","categoryId":1}',
        },
      ],
    ] as const) {
      const requestId = randomUUID();
      answers.push(
        await send(path, {
          ...init,
          headers: { ...('headers' in init && init.headers), 'x-request-id': requestId },
        }),
      );
      await expect.poll(() => linesAbout(requestId)).toHaveLength(2);
      logged.push(linesAbout(requestId).find(({ level }) => level >= 50));
    }
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(await answers[0]?.text()).not.toMatch(/column|relation|status"? of/);
    expect(logged).toMatchObject([
      {
        msg: 'InternalError',
        err: {
          type: 'DatabaseError',
          message: 'column "status" does not exist',
          stack: expect.stringContaining('/src/store/') as string,
        },
      },
      { err: { message: expect.stringContaining('violates check constraint') as string } },
    ]);
  });

  test('the line of a request that gets 503 has the reason, without a stack', async () => {
    // The first one also has the line `Not ready`.
    await send('/health/ready');
    const [, line] = await lineOf('/health/ready');
    expect(line).toMatchObject({ status: 503, reason: 'not ready: database: migrations are pending' });
    expect(line).not.toHaveProperty('err');
  });

  test('no line contains a key, a body or a part of a URL', async () => {
    const secret = 's3cret';
    const json = { 'content-type': 'application/json' };
    await send(`/v1/pets?status=${secret}`);
    await send(`/v1/pets?${secret}=1`);
    await send(`/v1/pets/${secret}`);
    await send(`/${secret}/x`);
    await send(`/%ff${secret}`);
    await send('/v1/pets', { headers: { authorization: `Bearer ${secret}` } });
    await send('/v1/pets', {
      headers: { authorization: `Basic ${secret}`, cookie: secret, 'x-other': secret },
    });
    await send('/v1/pets', { headers: { 'x-request-id': `${secret} ` + 'x'.repeat(200) } });
    for (const body of [`{"name":"${secret}","categoryId":1}`, `{"name":"${secret}"}`, `{"${secret}`]) {
      await send('/v1/pets', { method: 'POST', headers: json, body });
    }
    await send('/v1/messages', { method: 'POST', headers: json, body: `{"message":"${secret}"}` });
    await send('/v1/pets', { headers: { traceparent: `00-${'a'.repeat(32)}-00f067aa0ba902b7-01` } });
    await service.stop();
    expect(service.stdout()).not.toContain(secret);
    expect(service.stdout()).not.toContain(key);
  });

  test('without a collector, no line has a trace, and only the API of OpenTelemetry is loaded', () => {
    expect(service.stdout()).toContain('"route":"/v1/pets"');
    expect(service.stdout()).not.toContain('trace_id');
    expect(service.stderr()).toBe('');
  });
});

const isLive = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );

test.each([
  ['a pipe that nothing reads', 'mkfifo'],
  ['a full disk', 'ln -s /dev/full'],
])('the service continues and stops while its log is %s', async (_log, create) => {
  const port = await freePort();
  const database = await createDatabaseForTest();
  // The pipe stays open. It holds 64 KiB.
  const command = `${create} "$1" && exec "$2" dist/src/main.js 1<>"$1"`;
  const args = ['-c', command, 'sh', join(await makeDirectoryForTest(), 'log'), process.execPath];
  const service = spawnService({ ...database.environment, PORT: String(port) }, args, 'sh');
  await expect.poll(() => isLive(port), { timeout: 50_000 }).toBe(true);
  const headers = { 'x-request-id': 'x'.repeat(64) };
  for (let request = 0; request < 500; request++) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers });
    expect(answer.status).toBe(401);
  }
  service.signal('SIGTERM');
  expect(await service.exit).toMatchObject({ code: 0, signal: null, stderr: '' });
});

/** Runs a program with a terminal as its stdout. A second process copies what it writes, and ends with it. */
const WITH_TERMINAL = `
import os, pty, sys
terminal, stdout = pty.openpty()
if os.fork():
    os.dup2(stdout, 1)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(stdout)
os.dup2(terminal, 0)
os.execlp('cat', 'cat')`;

test.skipIf(spawnSync('python3', ['-c', 'import pty']).status !== 0)(
  'on a terminal the log has a readable form (needs python3 for a terminal)',
  async () => {
    const database = await createDatabaseForTest();
    const argv = ['-c', WITH_TERMINAL, process.execPath, 'dist/src/main.js'];
    const service = spawnService(database.environment, argv, 'python3');
    await expect.poll(service.stdout, { timeout: 50_000 }).toContain('Listening on ');
    expect(service.stdout()).not.toContain('{"level"');
    expect(service.stdout()).toContain('INFO');
  },
);
