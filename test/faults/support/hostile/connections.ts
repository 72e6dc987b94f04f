import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from 'vitest';

import { rounds } from '../mode.ts';
import { Wire } from './wire.ts';
import type { Mark } from './volley.ts';

const WITHIN_MS = 30_000;

/** The number of connections of each kind. */
const PIPELINED = 100;
const LISTS = rounds(40, 10);

/** The number of requests that {@link misuseConnections} sends, not counting those for pages. */
export const REQUESTS_OF_CONNECTIONS = PIPELINED + 2 * LISTS + 2;

/** Misuses connections in all ways at the same time. Each request is answered, or its connection is closed. */
export async function misuseConnections(mark: Mark, worstPages: readonly string[]): Promise<void> {
  await Promise.all([
    ...worstPages.map((page) => readNothing(mark, page)),
    pipeline(mark, PIPELINED, '', [401]),
    pipeline(mark, LISTS, `Range: bytes=${listOf((index) => `${index}-${index}`)}\r\n`, [200, 206, 416]),
    pipeline(mark, LISTS, `If-None-Match: ${listOf(() => '"a"')}\r\n`, [200]),
    sendTinyPieces(mark),
    sendOn(mark),
  ]);
}

const listOf = (part: (index: number) => string) => Array.from({ length: 1400 }, (_, i) => part(i)).join(',');

/** The number of long pages that exceeds the buffers of both operating systems, unless they are larger than usual. */
const UNREAD = 50;

/**
 * Requests a long page many times, does not read, and sends line breaks and further requests until the connection is
 * closed. The buffers may have room for the first pages: newer kernels receive 32 MB, and the service may shed some.
 */
async function readNothing({ url, key }: Mark, target: string): Promise<void> {
  const wire = await Wire.open(url);
  wire.socket.pause();
  const closed = new Promise((resolve) => wire.socket.once('close', resolve));
  const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  wire.write(request.repeat(UNREAD));
  const timer = setInterval(() => wire.write(`\r\n${request}`), 100);
  const isClosed = await Promise.race([closed.then(() => true), sleep(WITHIN_MS, false, { ref: false })]);
  clearInterval(timer);
  expect(isClosed).toBe(true);
}

/** Sends requests without a key in one piece, and reads the responses. */
async function pipeline({ url }: Mark, count: number, headers: string, statuses: number[]): Promise<void> {
  const target = headers === '' ? '/v1/pets' : '/docs/swagger-ui.css';
  const wire = await Wire.open(url);
  wire.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`.repeat(count));
  for (let answers = 0; answers < count; answers++) {
    expect(statuses).toContain((await wire.next(WITHIN_MS))?.status);
  }
  wire.close();
}

/** Sends a body in chunks of one byte, until it is too long. */
async function sendTinyPieces({ url, key }: Mark): Promise<void> {
  const wire = await Wire.open(url);
  const authorization = `Authorization: Bearer ${key}\r\n`;
  wire.write(
    `POST /v1/messages HTTP/1.1\r\nHost: a\r\n${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  wire.write('1\r\nx\r\n'.repeat(256 * 1024 + 1));
  expect((await wire.next(WITHIN_MS))?.status).toBe(413);
  wire.close();
}

/** Continues to send a body after the response, until the connection is closed. */
async function sendOn({ url }: Mark): Promise<void> {
  const wire = await Wire.open(url);
  wire.write('POST /v1/messages HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n');
  expect((await wire.next(WITHIN_MS))?.status).toBe(401);
  const piece = Buffer.alloc(65_536, 'x');
  const deadline = performance.now() + WITHIN_MS;
  while (!wire.ended && performance.now() < deadline) {
    if (wire.socket.writableLength < piece.length) wire.write(piece);
    await sleep(1);
  }
  expect(wire.ended).toBe(true);
}
