import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { BROKEN } from './support/hostile/broken.ts';
import { judge } from './support/hostile/judge.ts';
import { ask, MARKER } from './support/hostile/request.ts';
import { type Besieged, startBesieged } from './support/hostile/service.ts';
import { Wire, type WireAnswer } from './support/hostile/wire.ts';

const WITHIN_MS = 20_000;
const BODY = '{"name":"a","categoryId":1}';

let service: Besieged;
let authorization: string;
beforeAll(async () => {
  service = await startBesieged();
  authorization = `Authorization: Bearer ${service.key}\r\n`;
}, 120_000);
afterAll(() => service.remove());

/** Sends bytes, and checks each response until the connection ends. */
async function answersTo(bytes: string, ...statuses: number[]): Promise<WireAnswer[]> {
  const wire = await Wire.open(service.url);
  wire.write(bytes);
  const answers = await wire.all(WITHIN_MS);
  for (const answer of answers) judge({ ...ask('RAW', '', ...statuses) }, answer);
  wire.close();
  return answers;
}

const get = (headers = '', target = '/v1/pets?limit=1') =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\n${authorization}${headers}\r\n`;
const postHead = (headers: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\n${authorization}Content-Type: application/json\r\n${headers}\r\n`;
const LAST = 'Connection: close\r\n';

describe('is refused with 400, and the connection ends', () => {
  test.each(Object.entries(BROKEN))('%s', async (_name, bytes) => {
    expect(await answersTo(bytes, 400)).toHaveLength(1);
    const wire = await Wire.open(service.url);
    for (const byte of bytes.slice(0, 400)) wire.write(byte);
    wire.write(bytes.slice(400));
    const [answer, ...others] = await wire.all(WITHIN_MS);
    expect(answer?.status).toBe(400);
    expect(others).toEqual([]);
    wire.close();
  });
});

describe('an endless chunk', () => {
  test.each([
    [
      'in its data, with a key',
      413,
      () => postHead('Transfer-Encoding: chunked\r\n') + 'ffffffff\r\n',
      'x'.repeat(65_536),
    ],
    [
      'in its data, without a key',
      401,
      () => postHead('Transfer-Encoding: chunked\r\n').replace(authorization, '') + 'ffffffff\r\n',
      'x'.repeat(65_536),
    ],
    ['in its extension', 400, () => postHead('Transfer-Encoding: chunked\r\n') + '5;', 'x'.repeat(4096)],
    ['in its size', 400, () => postHead('Transfer-Encoding: chunked\r\n'), '1'.repeat(4096)],
    [
      'in the trailers',
      431,
      () => postHead('Transfer-Encoding: chunked\r\n') + `1b\r\n${BODY}\r\n0\r\n`,
      `X: ${'x'.repeat(4096)}\r\n`,
    ],
  ])('%s', async (_name, status, head, piece) => {
    const wire = await Wire.open(service.url);
    wire.write(head());
    let answered: WireAnswer | undefined;
    const answer = wire.next(WITHIN_MS).then((first) => (answered = first));
    for (let i = 0; i < 2000 && !answered; i++) {
      wire.write(piece);
      await sleep(1);
    }
    await answer;
    expect(answered?.status).toBe(status);
    judge(ask('RAW', '', status), answered ?? { status: 0, headers: new Map(), text: '' });
    expect(answered?.headers.get('connection')).toBe('close');
    wire.close();
  });
});

describe('is handled correctly', () => {
  const statuses = async (bytes: string) =>
    (await answersTo(bytes, 200, 201, 204, 404, 405)).map(({ status }) => status);

  test('a body on GET', async () => {
    const smuggled = `GET /v1/${MARKER} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const withBody = get(`Content-Length: ${smuggled.length}\r\n`) + smuggled;
    const chunked =
      get('Transfer-Encoding: chunked\r\n') + `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
    expect(await statuses(withBody + chunked + get(LAST))).toEqual([200, 200, 200]);
  });

  test('Expect: 100-continue', async () => {
    const wire = await Wire.open(service.url);
    wire.write(postHead(`Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n`));
    await vi.waitFor(() => expect(wire.peek()).toBe('HTTP/1.1 100 Continue\r\n\r\n'), WITHIN_MS);
    wire.write(BODY);
    expect((await wire.next(WITHIN_MS))?.status).toBe(201);
    wire.close();
  });

  test.each<[string, number, () => string]>([
    ['a wrong key', 401, () => postHead('').replace(authorization, 'Authorization: Bearer ps_wrong\r\n')],
    ['no key', 401, () => postHead('').replace(authorization, '')],
    ['another content type', 400, () => postHead('').replace('application/json', 'text/plain')],
    ['an unsupported content coding', 415, () => postHead('Content-Encoding: br\r\n')],
    ['a body that is too long', 413, () => postHead(`Content-Length: ${2 ** 30}\r\n`)],
  ])('Expect: 100-continue with %s, whose body is not invited', async (_name, status, headOf) => {
    const head = headOf();
    const wire = await Wire.open(service.url);
    const length = head.includes('Content-Length') ? '' : 'Content-Length: 10\r\n';
    wire.write(head.replace(/\r\n$/, `${length}Expect: 100-continue\r\n\r\n`));
    await vi.waitFor(() => expect(wire.peek()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)), WITHIN_MS);
    wire.close();
  });
});

test('a hundred pipelined requests in one piece are answered in order, and more end the connection', async () => {
  const wire = await Wire.open(service.url);
  const ids = Array.from({ length: 100 }, (_, i) => String(10 ** 12 + i));
  wire.write(ids.map((id) => get('', `/v1/pets/${id}`)).join(''));
  for (const id of ids) {
    const answer = await wire.next(WITHIN_MS);
    expect(answer?.text).toBe(
      `{"code":"not_found","message":"There is no animal with the id ${id}.","status":404}`,
    );
  }
  // Writes and reads in random order. Some of them are rejected.
  const create = (name: string) => {
    const body = `{"name":${name},"categoryId":1}`;
    return postHead(`Content-Length: ${body.length}\r\n`) + body;
  };
  wire.write(
    ids.map((id, i) => (i % 3 === 0 ? create(`"${id}"`) : i % 3 === 1 ? create(id) : get())).join(''),
  );
  for (const [i, id] of ids.entries()) {
    const answer = await wire.next(WITHIN_MS);
    expect(answer?.status).toBe([201, 400, 200][i % 3]);
    if (i % 3 === 0) expect(answer?.text).toContain(`"name":"${id}"`);
  }
  wire.write(get().repeat(101));
  await vi.waitFor(() => expect(wire.ended).toBe(true), WITHIN_MS);
});

test('all these connections are closed', async () => {
  const descriptors = () => readdirSync(`/proc/${service.pid}/fd`).length;
  // The file descriptors of the process itself, its database and a few clients.
  await expect.poll(descriptors, { timeout: WITHIN_MS, interval: 200 }).toBeLessThan(100);
});
