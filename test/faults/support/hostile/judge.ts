import assert from 'node:assert/strict';

import { parseJsonWithBigints } from '#src/domain/json';

import type { HostileRequest } from './request.ts';
import type { WireAnswer } from './wire.ts';

/** The codes of the service with their statuses. */
const CODES = new Map(
  Object.entries({
    invalid_request: 400,
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    method_not_allowed: 405,
    request_timeout: 408,
    conflict: 409,
    payload_too_large: 413,
    uri_too_long: 414,
    unsupported_media_type: 415,
    idempotency_mismatch: 422,
    rate_limited: 429,
    request_header_fields_too_large: 431,
    internal_error: 500,
    unavailable: 503,
  }),
);

/** Internal details: libraries, files, stacks, SQL. */
const INTERNAL =
  /node:|node_modules|dist\/|\.[jt]s\b|\n\s*at |typeorm|nestjs|express|pino|class-validator|postgres|pglite|\bpg\b|\bSQL\b|syntax error|relation |column |SELECT |INSERT |ECONN|\[object|TypeError|RangeError|Unexpected|JSON at position|HPE_/i;

/** The parts of a message that the client has sent. */
const ECHO = /(?<= with the id ).*(?=\.$)|(?<=, not )".*"/s;

/** Fields that only the service assigns. */
const ASSIGNED = ['id', 'createdAt', 'lastUsedAt', 'start', 'key'];

/**
 * Fails if the response to a hostile request is wrong. It must have an expected status and the required headers. An
 * error must have exactly code, message and status, without internal details. A success must contain the values of the
 * request.
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
  assert(!INTERNAL.test(body['message'].replace(ECHO, '')), 'a message without internal details');
}

function assertSuccess(request: HostileRequest, { headers, text }: WireAnswer): void {
  if (request.target.startsWith('/docs')) return;
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  const body = parseJsonWithBigints(text);
  if (request.method !== 'POST') return;
  const created = request.created ?? {};
  const rest = Object.entries(body as object).filter(
    ([name]) =>
      name in created || !(ASSIGNED.includes(name) || (name === 'status' && request.target !== '/v1/pets')),
  );
  assert.deepEqual(Object.fromEntries(rest), { ...created });
}
