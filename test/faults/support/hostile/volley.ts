import { parseJsonWithBigints } from '#src/domain/json';

import { judge } from './judge.ts';
import type { HostileRequest } from './request.ts';
import { Wire, type WireAnswer } from './wire.ts';

/** The timeout of a response. */
const ANSWER_WITHIN_MS = 20_000;
const CONNECTIONS = 32;

/** The created objects of a path, by their ids, as the service returned them. */
export type Created = Map<string, Map<unknown, Record<string, unknown>>>;

/** The address of the service, and a valid key. */
export interface Target {
  url: string;
  key: string;
}

/** Counts requests, and collects created objects and wrong responses. */
export class Tally {
  requests = 0;
  slowestMs = 0;
  readonly created: Created = new Map();
  readonly statuses = new Map<number, number>();

  count({ target }: HostileRequest, { status, text }: WireAnswer, durationMs: number): void {
    this.requests++;
    this.slowestMs = Math.max(this.slowestMs, durationMs);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status !== 201 && status !== 202) return;
    const body = parseJsonWithBigints(text) as Record<string, unknown>;
    const known = this.created.get(target) ?? new Map<unknown, Record<string, unknown>>();
    if (known.has(body['id'])) throw new Error(`two of one id: ${text}`);
    this.created.set(target, known.set(body['id'], body));
  }

  get acknowledged(): number {
    return [...this.created.values()].reduce((sum, created) => sum + created.size, 0);
  }
}

/**
 * Sends requests over persistent connections, and checks each response.
 *
 * @throws Error with the first request whose response is wrong, late or missing
 */
export async function send(target: Target, requests: Iterable<HostileRequest>, tally: Tally): Promise<void> {
  const queue = requests[Symbol.iterator]();
  let failed = false;
  const shooter = async () => {
    let wire: Wire | undefined;
    try {
      for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
        if (!wire || wire.ended) wire = await Wire.open(target.url);
        const startedAt = performance.now();
        const answer = await exchange(wire, next.value, target);
        tally.count(next.value, answer, performance.now() - startedAt);
        if (answer.headers.get('connection') !== 'close') continue;
        await expectNoMore(wire, next.value);
        wire = undefined;
      }
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      wire?.close();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, shooter));
}

async function exchange(wire: Wire, request: HostileRequest, { key }: Target): Promise<WireAnswer> {
  const bytes = request.raw ?? bytesOf(request, key);
  try {
    wire.write(bytes);
    const answer = await wire.next(ANSWER_WITHIN_MS, request.method === 'HEAD');
    if (!answer) throw new Error('the connection ended without an answer');
    try {
      judge(request, answer);
    } catch (cause) {
      throw new Error(`${(cause as Error).message}\ngot ${answer.status} ${answer.text.slice(0, 500)}`, {
        cause,
      });
    }
    return answer;
  } catch (cause) {
    const sent = bytes.toString('latin1').slice(0, 1000);
    throw new Error(`${(cause as Error).message}\nsent ${JSON.stringify(sent)}`, { cause });
  }
}

/** A connection that is closed has no further responses: the data after the request was not a request. */
async function expectNoMore(wire: Wire, request: HostileRequest): Promise<void> {
  const more = await wire.next(ANSWER_WITHIN_MS);
  if (more) throw new Error(`answered twice: ${JSON.stringify(request.raw ?? request.target)}`);
  wire.close();
}

/** Returns the bytes of a request, with a key by default. */
function bytesOf({ method, target, headers, body }: HostileRequest, key: string): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : body;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: a',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (!headers.some(([name]) => name === 'Authorization')) lines.push(`Authorization: Bearer ${key}`);
  if (content) lines.push(`Content-Length: ${content.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return content ? Buffer.concat([head, content]) : head;
}
