import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';

import { parseJsonWithBigints } from '#src/domain/json';

import { PublishedDocument } from '../support/published-document.ts';
import {
  allowedRequest,
  forbiddenRequest,
  publishedOperations,
  unlistedMethods,
} from './support/hostile/document.ts';
import { malformed } from './support/hostile/credentials.ts';
import { ask, type HostileRequest } from './support/hostile/request.ts';
import { startBesieged } from './support/hostile/service.ts';
import { bytesOf, send, Tally } from './support/hostile/volley.ts';
import { Wire } from './support/hostile/wire.ts';
import { rounds } from './support/mode.ts';

const PUBLIC = ['createAccount'];
const RUNS = rounds(500, 30);

// The tests are named after operations of the documents, so the service starts before they are declared.
const service = await startBesieged();
afterAll(() => service.remove());
const document = await PublishedDocument.of(service.url);
const operations = await publishedOperations(service.url);

/** Sends a request, and checks the status, the headers and the body of the response against the document. */
async function exchange(request: HostileRequest): Promise<number> {
  const wire = await Wire.open(service.url);
  wire.write(bytesOf(request, service.key));
  const { status, headers, text } = (await wire.next(20_000)) ?? { status: 0, headers: [], text: '' };
  wire.close();
  const answer = { status, headers: new Headers([...headers]), text, body: bodyOf(text) };
  document.check(request.method, request.target, answer);
  return status;
}

function bodyOf(text: string): unknown {
  return text === '' ? undefined : parseJsonWithBigints(text);
}

describe.each(operations)('$operationId', (operation) => {
  const { operationId, method, path, allow } = operation;

  test('accepts requests that the document allows, with a documented response', async () => {
    for (const request of fc.sample(allowedRequest(operation), RUNS)) {
      expect(request.statuses, request.target).toContain(await exchange(request));
    }
  });

  test('rejects requests that the document forbids, with a documented response', async () => {
    const requests = forbiddenRequest(operation);
    // An operation without a body and without path parameters has no forbidden requests.
    const takesNothing = !operation.body && operation.parameters.every((each) => each.in === 'header');
    expect(requests === undefined).toBe(takesNothing);
    for (const request of requests ? fc.sample(requests, RUNS) : []) {
      expect(request.statuses, request.target).toContain(await exchange(request));
    }
  });

  test('answers other methods with 405 and Allow', async () => {
    const methods = unlistedMethods(operation);
    expect(methods).toContain('TRACE');
    const target = path.replaceAll(/\{\w+\}/g, '1');
    const tally = new Tally();
    const requests = methods.map((unlisted) => ({ method: unlisted, target, headers: [], statuses: [405] }));
    await send({ url: service.url, key: service.key }, requests, tally);
    expect(tally.requests).toBe(methods.length);
    expect(tally.allowed).toEqual(new Set([allow]));
  });

  test.skipIf(PUBLIC.includes(operationId))(
    'answers missing and wrong credentials with exactly 401',
    async () => {
      const requests = fc.sample(
        fc.tuple(allowedRequest(operation), malformed(service.key)).map(([request, authorization]) => ({
          ...request,
          headers: [...request.headers, ['Authorization', authorization] as const],
          statuses: [401],
        })),
        RUNS,
      );
      const tally = new Tally();
      await send({ url: service.url, key: service.key }, requests, tally);
      expect(Object.fromEntries(tally.statuses)).toEqual({ 401: RUNS });
      const anonymous = {
        ...ask(method, path, 401),
        headers: [['Authorization', '']] as const,
      };
      expect(await exchange(anonymous)).toBe(401);
    },
  );
});
