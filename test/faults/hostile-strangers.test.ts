import { once } from 'node:events';
import { METHODS } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';

import { createKey } from '#src/auth/keys/api-key';

import { freePort } from '../support/postgres.ts';
import { type ListeningProcess, startServiceProcess } from '../support/process.ts';
import { sendRaw } from '../support/raw-request.ts';
import { LiveMemory } from './support/hostile/live-memory.ts';
import { quick, rounds } from './support/mode.ts';
import { Proxy } from './support/proxy.ts';
import { record } from './support/results.ts';
import { usePostgres } from './support/store.ts';

const CLIENTS = 32;
const MAX_CONNECTIONS = rounds(3000, 300);
const SIGNUP_LIMIT = 10;

/** The limits of an attack: memory, which includes garbage, and CPU time at a stretch. */
const MAY_TAKE_MEBIBYTES = 128;
const MAY_BLOCK_MS = 100;
const MAY_BLOCK_IN_A_BURST_MS = 2000;
const MAY_ADD_SERIES = 2000;

const BODY = Buffer.alloc(256 * 1024 - 1, 'x');

const postgres = usePostgres();
const memory = new LiveMemory();
const ends: (() => Promise<void>)[] = [];
let service: ListeningProcess;
let probes: string;
/** In front of the database. */
let proxy: Proxy;
beforeAll(async () => {
  proxy = await Proxy.to(postgres.server.url);
});
// Each attack has a new process, because the memory of an earlier attack would count. The short form has one for all.
beforeEach(async () => {
  if (quick && ends.length > 0) return;
  await end();
  const METRICS_PORT = String(await freePort());
  probes = `http://127.0.0.1:${METRICS_PORT}`;
  service = await startServiceProcess(
    {
      DATABASE_URL: proxy.rewrite(postgres.server.url),
      METRICS_PORT,
      SIGNUP: 'open',
      MAX_CONNECTIONS: String(MAX_CONNECTIONS),
      SIGNUP_LIMIT_PER_HOUR: String(SIGNUP_LIMIT),
      TRUST_PROXY: '1',
      ...memory.environment,
    },
    (stop) => ends.push(stop),
  );
  // The young generation grows under any load, so it is not a part of what an attack takes.
  await send(rounds(5000, 2000), async () => {
    const answer = await fetch(`${service.url}/docs/errors`);
    await answer.arrayBuffer();
    return answer.status;
  });
}, 120_000);
afterAll(end);
afterAll(() => proxy.close());
afterAll(() => memory.remove());

async function end(): Promise<void> {
  for (const stop of ends.splice(0)) await stop();
}

/** Runs an attack, and records its cost, and the slowest response to another client. Its requests need no key. */
async function attack(
  fault: string,
  requests: number,
  work: () => Promise<string | undefined>,
  mayBlockMs = MAY_BLOCK_MS,
): Promise<void> {
  const idle = await memory.measure(service);
  const startedAt = performance.now();
  const over = new AbortController();
  const neighbour = (async () => {
    let slowestMs = 0;
    while (!over.signal.aborted) {
      const sentAt = performance.now();
      expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
      await sleep(20);
    }
    return slowestMs;
  })();
  const remark = await work().finally(() => over.abort());
  const durationMs = performance.now() - startedAt;
  const slowestMs = Math.round(await neighbour);
  const { delay, turn, peakResidentMebibytes } = await memory.measure(service);
  const aboveIdle = peakResidentMebibytes - idle.peakResidentMebibytes;
  await record(
    {
      fault: `without a key: ${fault}`,
      requestsPerSecond: (requests / durationMs) * 1000,
      requests,
      slowestMs,
      details: [
        `${Math.round(aboveIdle)} MiB above idle`,
        `event-loop delay at most ${Math.round(delay.longestMs)} ms (${Math.round(turn.longestMs)} ms of CPU)`,
        ...(remark === undefined ? [] : [remark]),
      ].join('; '),
    },
    postgres.server.url,
  );
  expect(aboveIdle).toBeLessThan(MAY_TAKE_MEBIBYTES);
  if (!quick) expect.soft(turn.longestMs).toBeLessThan(mayBlockMs);
}

/** Sends requests by several clients. Returns the number of responses by status. */
async function send(
  count: number,
  request: (index: number) => Promise<number>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let next = 0;
  const client = async () => {
    for (let index = next++; index < count; index = next++) {
      const status = await request(index);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return statuses;
}

/** Opens connections, each of which sends the bytes. They stay open until the end of the test. */
async function hold(count: number, ...pieces: (string | Buffer)[]): Promise<Socket[]> {
  const { port, hostname } = new URL(service.url);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  while (sockets.length < count) {
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    for (const piece of pieces) socket.write(piece);
    sockets.push(socket);
  }
  return sockets;
}

const signUp = (...headers: string[]) =>
  ['POST /accounts HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');

/** Signs up from an address, and returns the status. */
async function signUpFrom(address: string): Promise<number> {
  const body = '{"name":"Kitty"}';
  const head = signUp(`Content-Length: ${body.length}`, `X-Forwarded-For: ${address}`);
  return (await sendRaw(service.url, head + body)).status;
}

test('the largest file, again and again in all codings', async () => {
  const count = rounds(1000, 24);
  await attack(`${count} downloads of the largest file, in all codings`, count, async () => {
    const codings = ['br', 'gzip', 'zstd', 'deflate', 'br;q=0.5, gzip', 'identity'];
    const statuses = await send(count, async (index) => {
      const headers = { 'accept-encoding': codings[index % codings.length] ?? '' };
      const answer = await fetch(`${service.url}/docs/swagger-ui-bundle.js`, { headers });
      await answer.arrayBuffer();
      return answer.status;
    });
    expect(statuses).toEqual({ 200: count });
    return undefined;
  });
});

test('methods that no operation has', async () => {
  const methods = ['PURPLE', 'get', ...METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD')];
  const operations = ['v1/pets', 'v1/pets/1', 'v1/store/orders', 'v1/messages'];
  const ofAccounts = ['account', 'accounts', 'keys', 'keys/1'];
  const others = ['health/live', 'health/ready', 'docs', 'console', 'openapi.json', 'openapi.yaml', 'none'];
  const paths = [...operations, ...ofAccounts, ...others];
  const requests = methods.flatMap((method) =>
    paths.map((path) => `${method} /${path} HTTP/1.1\r\nHost: a\r\n\r\n`),
  );
  await attack(`every method on ${paths.length} paths`, requests.length, async () => {
    await send(requests.length, async (index) => (await sendRaw(service.url, requests[index] ?? '')).status);
    const startedAt = performance.now();
    const metrics = await (await fetch(`${probes}/metrics`)).text();
    const scrapeMs = Math.round(performance.now() - startedAt);
    const series = metrics.split('\n').filter((line) => line.startsWith('petstore_http_')).length;
    expect(series).toBeLessThan(MAY_ADD_SERIES);
    return `${series} series of requests, whose scrape takes ${scrapeMs} ms`;
  });
});

/** Each sign-up of an attack has an address, and so a quota of its own. */
const anyAddress = (index: number) => `198.51.${Math.floor(index / 250)}.${index % 250}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const LONG = `Content-Length: ${BODY.length + 1}`;

test.each<[string, (index: number) => string, string, string | Buffer, isRefused: boolean]>([
  [', after the quota', () => '192.0.2.1', LONG, BODY, true],
  [' that never end', anyAddress, LONG, BODY, true],
  [' in a chunk that never ends', anyAddress, CHUNKED, `fffff\r\n${BODY.toString()}`, true],
  [' in 1,020 chunks of a byte', anyAddress, CHUNKED, '1\r\n \r\n'.repeat(1020), false],
])('bodies of sign-ups%s', async (what, addressOf, framing, body, isRefused) => {
  const count = rounds(2000, 150);
  await send(SIGNUP_LIMIT, () => signUpFrom('192.0.2.1'));
  await attack(`${count} connections with bodies of sign-ups${what}`, count, async () => {
    const sockets: Socket[] = [];
    while (sockets.length < count) {
      const head = signUp(framing, `X-Forwarded-For: ${addressOf(sockets.length)}`);
      sockets.push(...(await hold(1, head, body)));
    }
    const refused = () => sockets.filter(({ bytesRead }) => bytesRead > 0).length;
    if (isRefused) await expect.poll(refused, { timeout: 60_000 }).toBe(count);
    // The chunks have arrived when the service has answered another client.
    await sendRaw(service.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    return undefined;
  });
});

test.each([
  ['heads that never end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(16_000)}`],
  ['heads of many fields', `GET / HTTP/1.1\r\nHost: a\r\n${'X:\r\n'.repeat(3900)}`],
  [
    'the beginning of a second request',
    `GET /health/live HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(16_000)}`,
  ],
])('connections with %s', async (what, text) => {
  const count = MAX_CONNECTIONS - CLIENTS;
  await attack(`${count} connections with ${what}`, count, async () => {
    const sockets = await hold(count, text);
    return `${sockets.filter(({ closed }) => !closed).length} stay open`;
  });
});

test('all connections, held', async () => {
  await attack(`all ${MAX_CONNECTIONS} connections, held`, MAX_CONNECTIONS, async () => {
    await hold(MAX_CONNECTIONS + 100);
    await expect(sendRaw(service.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')).rejects.toThrow();
    let slowestMs = 0;
    for (const path of ['/health/live', '/health/ready', '/health/live', '/health/ready']) {
      const startedAt = performance.now();
      expect((await fetch(probes + path)).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    }
    return `probes of the port of the metrics answer in at most ${Math.round(slowestMs)} ms`;
  });
});

test.each([
  // The operating system hands over in one turn of the event loop what has arrived.
  [', all at once', MAY_BLOCK_IN_A_BURST_MS],
  ['', MAY_BLOCK_MS],
])('long bodies behind an unknown key, while the database hangs%s', async (how, mayBlockMs) => {
  const count = MAX_CONNECTIONS - CLIENTS;
  const head = signUp(LONG, `Authorization: Bearer ${createKey().key}`).replace('/accounts', '/v1/pets');
  const attacked = async () => {
    const sockets = how === '' ? await hold(count, head, BODY) : await hold(count);
    if (how !== '') for (const socket of sockets) socket.write(Buffer.concat([Buffer.from(head), BODY]));
    for (const socket of sockets) socket.resume();
    const isOver = ({ bytesRead, closed }: Socket) => bytesRead > 0 || closed;
    await expect.poll(() => sockets.every(isOver), { timeout: 60_000 }).toBe(true);
    return `${sockets.filter(({ bytesRead }) => bytesRead > 0).length} of them answered`;
  };
  proxy.set({ blackHole: true });
  onTestFinished(() => proxy.heal());
  const fault = `${count} connections with long bodies and an unknown key, a hanging database${how}`;
  await attack(fault, count, attacked, mayBlockMs);
});
