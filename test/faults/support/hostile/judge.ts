import assert from 'node:assert/strict';

import { STATUS_OF_CODE } from '#src/domain/error-codes';
import { parseJsonWithBigints } from '#src/domain/json';

import type { HostileRequest } from './request.ts';
import type { WireAnswer } from './wire.ts';

const CODES = new Map(Object.entries(STATUS_OF_CODE));

/** What only the inside of the service knows: libraries, files, stacks, SQL. */
const INTERNAL =
  /node:|node_modules|dist\/|\.[jt]s\b|\n\s*at |typeorm|nestjs|express|pino|class-validator|postgres|pglite|\bpg\b|\bSQL\b|syntax error|relation |column |SELECT |INSERT |ECONN|\[object|TypeError|RangeError|Unexpected|JSON at position|HPE_/i;

/** The parts of a message that a client wrote itself. */
const ECHO = /(?<= with the id ).*(?=\.$)|(?<=, not )".*"/s;

/** Fields that the service assigns, whatever a client sends. */
const ASSIGNED = ['id', 'createdAt', 'lastUsedAt', 'start', 'key'];

/**
 * Fails when an answer is not what a hostile request must get: a status that is expected, an Error body
 * that is exactly code, message and status and tells nothing of the inside, the headers that go with
 * it; or what was made, exactly as it was sent.
 */
export function judge(request: HostileRequest, answer: WireAnswer): void {
  const { status, headers, text } = answer;
  assert(request.statuses.includes(status), `the status ${status}, not ${request.statuses.join(' or ')}`);
  assert(headers.get('x-request-id'), 'an X-Request-Id');
  assert(!headers.has('x-powered-by'), 'no X-Powered-By');
  if (request.method === 'HEAD' || status === 204) assert.equal(text, '');
  else if (status >= 400) assertError(answer);
  else assertSuccess(request, answer);
  assert.equal(
    headers.has('allow'),
    status === 405 || (request.method === 'OPTIONS' && status === 204),
    'Allow',
  );
  assert.equal(headers.has('www-authenticate'), status === 401, 'WWW-Authenticate');
  assert.equal(
    headers.get('location') !== undefined,
    status === 201 && request.target === '/v1/pets',
    'Location',
  );
}

function assertError({ status, headers, text }: WireAnswer): void {
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  const body = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), ['code', 'message', 'status']);
  assert.equal(body['status'], status);
  assert.equal(CODES.get(String(body['code'])), status);
  assert(typeof body['message'] === 'string' && body['message'] !== '');
  assert(!INTERNAL.test(body['message'].replace(ECHO, '')), 'a message that tells nothing of the inside');
}

function assertSuccess(request: HostileRequest, { headers, text }: WireAnswer): void {
  if (request.target.startsWith('/docs')) return;
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  const body = parseJsonWithBigints(text);
  if (request.method !== 'POST') return;
  const made = request.made ?? {};
  const rest = Object.entries(body as object).filter(
    ([name]) =>
      name in made || !(ASSIGNED.includes(name) || (name === 'status' && request.target !== '/v1/pets')),
  );
  assert.deepEqual(Object.fromEntries(rest), { ...made });
}
