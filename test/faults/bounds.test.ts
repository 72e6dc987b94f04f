import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { petstoreProcess } from '../support/petstore.ts';
import { LiveMemory, type Vitals } from './support/hostile/live-memory.ts';
import { ask, type HostileRequest, post } from './support/hostile/request.ts';
import { type Besieged, startBesieged } from './support/hostile/service.ts';
import { send, Tally } from './support/hostile/volley.ts';
import { quick } from './support/mode.ts';
import { record } from './support/results.ts';

/** The limits of one part of the work: the CPU time of a turn of the event loop, and memory. */
const MAX_TURN_MS = 50;
const MAX_MEMORY_MEBIBYTES = 64;

/**
 * By default, V8 lets hundreds of mebibytes of garbage accumulate before it collects them. In a heap of this size, the
 * resident memory is what the work requires.
 */
const SMALL_HEAP = '--max-old-space-size=80';

/** The name with the longest JSON: 120,000 characters. */
const WORST_NAME = '\u0001'.repeat(20_000);
const WORST_PET = JSON.stringify({ name: WORST_NAME, categoryId: 1 });
const WORST_MESSAGE = 'x'.repeat(256 * 1024 - 14);

const create = (name: string) =>
  post('/v1/pets', JSON.stringify({ name, categoryId: 1 }), [201], { name, categoryId: 1n });
const message = (text: string) =>
  post('/v1/messages', JSON.stringify({ message: text }), [202], { message: text });

const PAGES = 8;

/** A page ends before its JSON exceeds 256 KiB: with two of these names. */
const WORST_PAGE = 2 * 6 * WORST_NAME.length;

const memory = new LiveMemory();
const tally = new Tally();
const startedAt = performance.now();
const details: string[] = [];
let service: Besieged;
/** Requests different pages of the longest names. */
let worstPages: string[];
let idleMebibytes: number;

beforeAll(async () => {
  service = await startBesieged(memory.environment);
  // The measurements do not include compilation.
  const pair = [create('a'), ask('GET', '/v1/pets?limit=1', 200)];
  await send(service, Array.from({ length: 1000 }, () => pair).flat(), new Tally());
  idleMebibytes = (await memory.measure(service)).peakResidentMebibytes;
}, 120_000);
afterAll(() => service.remove());
afterAll(() => memory.remove());

/** Records the delay and the memory of a part of the work, and checks its limits. The short form has other load beside. */
function check(
  name: string,
  { delay, turn, peakResidentMebibytes }: Vitals,
  idle = idleMebibytes,
  remark = '',
): void {
  const aboveIdle = peakResidentMebibytes - idle;
  details.push(
    `${name}: ${Math.round(delay.longestMs)} ms at a stretch (${Math.round(turn.longestMs)} ms of CPU), ` +
      `${Math.round(aboveIdle)} MiB above idle${remark}`,
  );
  console.log(details.at(-1));
  expect.soft(aboveIdle, name).toBeLessThan(quick ? 2 * MAX_MEMORY_MEBIBYTES : MAX_MEMORY_MEBIBYTES);
  if (!quick) expect.soft(turn.longestMs, name).toBeLessThan(MAX_TURN_MS);
}

describe('each of these takes at most 50 ms in a turn of the event loop, and at most 64 MiB', () => {
  test('creates of the longest name', async () => {
    await send(service, Array<HostileRequest>(100 + PAGES).fill(create(WORST_NAME)), tally);
    check('the worst creates', await memory.measure(service));
    const ids = [...(tally.created.get('/v1/pets')?.keys() ?? [])].map(Number);
    const first = Math.min(...ids);
    worstPages = Array.from({ length: PAGES }, (_, index) => `/v1/pets?limit=100&after=${first - 1 + index}`);
  });

  test('the longest page', async () => {
    expect(await readLength(worstPages[0] ?? '')).toBeGreaterThan(WORST_PAGE);
    check('the worst page', await memory.measure(service));
  });

  test('different longest pages at the same time', async () => {
    const lengths = await Promise.all(worstPages.map(readLength));
    for (const length of lengths) expect(length).toBeGreaterThan(WORST_PAGE);
    check(`${PAGES} different worst pages`, await memory.measure(service));
  });

  test.skipIf(quick)('deliveries of the longest messages', async () => {
    await checkHeaps('the worst deliveries', (heap) => deliverLongest(200, heap));
  });

  test.skipIf(quick)('an import of long names and invalid lines', async () => {
    await checkHeaps('the worst import', (heap) => importLongest(500, heap));
  });
});

interface Measured {
  idleMebibytes: number;
  vitals: Vitals;
}

/** Checks the delay with the default heap and the memory with a small one, and records the memory of both. */
async function checkHeaps(name: string, work: (heap: LiveMemory) => Promise<Measured>): Promise<void> {
  const small = await work(new LiveMemory(SMALL_HEAP));
  const byDefault = await work(new LiveMemory());
  const withGarbage = Math.round(byDefault.vitals.peakResidentMebibytes - byDefault.idleMebibytes);
  check(
    name,
    { ...byDefault.vitals, peakResidentMebibytes: small.vitals.peakResidentMebibytes },
    small.idleMebibytes,
    ` in a small heap (${withGarbage} MiB in the default heap, with garbage)`,
  );
}

/** Delivers many messages of the maximum length in a separate service. */
async function deliverLongest(count: number, memory: LiveMemory): Promise<Measured> {
  onTestFinished(() => memory.remove());
  let delivered = 0;
  const receiver = createServer((_request, response) => {
    delivered++;
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void receiver.close());
  await once(receiver, 'listening');
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const environment = { RECEIVER_URL: receiverUrl, ...memory.environment };
  const deliverer = await startBesieged(environment, ['test/deliveries/service.ts']);
  onTestFinished(() => deliverer.remove());
  await send(deliverer, Array<HostileRequest>(500).fill(message('a')), new Tally());
  await vi.waitFor(() => expect(delivered).toBe(500), 60_000);
  const idleMebibytes = (await memory.measure(deliverer)).peakResidentMebibytes;
  // More of them at once would be refused.
  for (let sent = 0; sent < count; sent += 10) {
    await send(deliverer, Array<HostileRequest>(10).fill(message(WORST_MESSAGE)), new Tally());
  }
  await vi.waitFor(() => expect(delivered).toBe(500 + count), 60_000);
  return { idleMebibytes, vitals: await memory.measure(deliverer) };
}

/** Imports many animals with the longest name, and lines of all kinds that are refused. */
async function importLongest(count: number, memory: LiveMemory): Promise<Measured> {
  onTestFinished(() => memory.remove());
  const environment = { DATABASE_URL: service.databaseUrl, LOG_LEVEL: 'warn', ...memory.environment };
  const importOf = async (lines: string[], code: number) => {
    const args = ['import', '-'];
    expect((await petstoreProcess(environment, args, lines.join('\n'))).code).toBe(code);
    return memory.read();
  };
  const short = '{"name":"a","categoryId":1}';
  const { peakResidentMebibytes: idleMebibytes } = await importOf([short], 0);
  const bad = ['{', '[]', '['.repeat(200_000), `{"name":"${'x'.repeat(200_000)}","categoryId":1}`];
  const lines = Array.from({ length: count }, () => [WORST_PET, ...bad]).flat();
  return { idleMebibytes, vitals: await importOf(lines, 2) };
}

/** Requests a target with an ordinary client, and returns the length of the body. */
async function readLength(path: string): Promise<number> {
  const headers = { authorization: `Bearer ${service.key}` };
  const answer = await fetch(service.url + path, { headers });
  expect(answer.status).toBe(200);
  return (await answer.text()).length;
}

test('the service is ready afterwards', async () => {
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  await record(
    {
      fault: 'the longest names, pages, messages and lines of imports',
      requestsPerSecond: tally.requests / ((performance.now() - startedAt) / 1000),
      requests: tally.requests,
      acknowledged: tally.acknowledged,
      slowestMs: Math.round(tally.slowestMs),
      details: details.join('; '),
    },
    service.databaseUrl,
  );
});
