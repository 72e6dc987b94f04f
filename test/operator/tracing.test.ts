import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { Client } from '../support/client.ts';
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts';
import { createDatabase, runSql } from '../support/database.ts';
import { signUp } from '../support/key.ts';
import { freePort } from '../support/postgres.ts';
import { LIST_MODULES, startServiceProcess } from '../support/process.ts';

const [SERVER, CLIENT] = [2, 3];
const ERROR = 2;

const newTraceId = () => randomBytes(16).toString('hex');

/** The headers of a traced caller. */
const of = (traceId: string, flags = '01') => ({
  headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` },
});

type AtEnd = (end: () => Promise<void>) => void;

/** Starts a process on a new database, which `sql` may change before the start, and creates a key. */
async function start(
  environment: NodeJS.ProcessEnv,
  { sql, atEnd = onTestFinished, argv }: { sql?: string; atEnd?: AtEnd; argv?: string[] } = {},
) {
  const database = await createDatabase();
  atEnd(() => database.drop());
  if (sql !== undefined) await runSql(database, sql);
  const service = await startServiceProcess({ ...database.environment, ...environment }, atEnd, argv);
  return { service, client: await Client.of(service.url, await signUp(service.url)) };
}

interface Line {
  msg: string;
  level: number;
  requestId?: string;
  trace_id?: string;
  span_id?: string;
}

function linesOf(stdout: string): Line[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Line);
}

function named(spans: CollectedSpan[], name: string): CollectedSpan {
  const found = spans.filter((span) => span.name === name);
  const [span] = found;
  if (!span || found.length > 1) throw new Error(`${found.length} of ${name}: ${JSON.stringify(spans)}`);
  return span;
}

describe('with a collector', () => {
  const ends: (() => Promise<void>)[] = [];
  const traceparents: unknown[] = [];
  let receiverPort: number;
  let traced: Awaited<ReturnType<typeof start>>;
  let collector: Collector;
  const ofTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
  beforeAll(async () => {
    const atEnd = (end: () => Promise<void>) => ends.unshift(end);
    collector = await startCollector(atEnd);
    const receiver = createServer((request, response) => {
      traceparents.push(request.headers['traceparent']);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    atEnd(async () => {
      receiver.close().closeAllConnections();
      await once(receiver, 'close');
    });
    receiverPort = (receiver.address() as AddressInfo).port;
    const RECEIVER_URL = `http://127.0.0.1:${receiverPort}/hooks/s3cret?token=s3cret`;
    traced = await start(
      { ...collector.environment, RECEIVER_URL },
      {
        sql: 'ALTER TABLE store_order RENAME TO elsewhere',
        atEnd,
        argv: [...LIST_MODULES, '--import', 'petstore/tracing', 'test/deliveries/service.ts'],
      },
    );
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  /** A request's span ends after the others of its trace. */
  async function untilExported(traceIds: string[]): Promise<void> {
    const isExported = (traceId: string) => ofTrace(traceId).some(({ kind }) => kind === SERVER);
    await expect.poll(() => traceIds.every(isExported)).toBe(true);
  }

  test('a request and its statement are in one trace, which continues the trace of the caller', async () => {
    const { client } = traced;
    await client.get('/v1/pets');
    const traceId = newTraceId();
    const state = { tracestate: 'vendor=value' };
    await client.get('/v1/pets?limit=5&q=s3cret', { headers: { ...of(traceId).headers, ...state } });
    await untilExported([traceId]);
    const spans = ofTrace(traceId);
    const request = named(spans, 'GET /v1/pets');
    expect(request).toMatchObject({
      kind: SERVER,
      parentSpanId: '00f067aa0ba902b7',
      traceState: 'vendor=value',
      status: 0,
      resource: { 'service.name': 'petstore' },
    });
    const { port } = new URL(client.url);
    expect(request.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/v1/pets',
      'http.response.status_code': 200,
      'url.path': '/v1/pets',
      'url.scheme': 'http',
      'server.address': new URL(client.url).hostname,
      'server.port': Number(port),
    });
    const [statement, ...others] = spans.filter(({ attributes }) => 'db.query.text' in attributes);
    expect(others).toEqual([]);
    expect(statement).toMatchObject({
      kind: CLIENT,
      parentSpanId: request.spanId,
      links: [],
      attributes: {
        'db.system.name': 'postgresql',
        'db.query.text': expect.stringMatching(/^SELECT .* FROM pet WHERE id > read.after /s) as string,
      },
    });
    expect(collector.requests.map(({ url }) => url)).toContain('/v1/traces');
    expect(new Set(collector.requests.map(({ url }) => url)).size).toBe(1);
    expect(collector.requests[0]?.headers).toMatchObject({ 'content-type': 'application/x-protobuf' });
    expect(traced.service.stderr()).toContain('@opentelemetry/sdk-node');
    const text = JSON.stringify(collector.spans);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain(client.key);
  });

  test('a batched statement is part of the trace of its first request', async () => {
    const { client } = traced;
    // The key is cached, so that no request waits for a look-up.
    await client.get('/v1/pets');
    const traceIds = Array.from({ length: 30 }, newTraceId);
    await Promise.all(traceIds.map((id, n) => client.get(`/v1/pets?after=${n}`, of(id))));
    await untilExported(traceIds);
    const spans = traceIds.flatMap(ofTrace);
    const statements = spans.filter(({ attributes }) => 'db.query.text' in attributes);
    expect(statements.length).toBeGreaterThan(0);
    for (const { parentSpanId, traceId } of statements) {
      const parent = spans.find(({ spanId }) => spanId === parentSpanId);
      expect(parent).toMatchObject({ kind: SERVER, traceId });
    }
  });

  test('a request that its caller does not sample is exported, and an invalid traceparent starts a new trace', async () => {
    const { client } = traced;
    const unsampled = newTraceId();
    await client.get('/v1/pets', of(unsampled, '00'));
    await untilExported([unsampled]);
    const malformed = [
      '00-xyz',
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `ff-${newTraceId()}-00f067aa0ba902b7-01`,
    ];
    for (const traceparent of malformed) await client.get('/v1/pets/1', { headers: { traceparent } });
    const begun = () => collector.spans.filter(({ name }) => name === 'GET /v1/pets/:petId');
    await expect.poll(() => begun().map(({ parentSpanId }) => parentSpanId)).toEqual(['', '', '']);
    expect(new Set(begun().map(({ traceId }) => traceId)).size).toBe(3);
  });

  test('each line of the log of a request has its trace and span', async () => {
    const { client, service } = traced;
    const traceIds = Array.from({ length: 20 }, newTraceId);
    await Promise.all(
      traceIds.map((id) => client.get('/v1/pets', { headers: { ...of(id).headers, 'x-request-id': id } })),
    );
    await untilExported(traceIds);
    for (const id of traceIds) {
      const lines = () => linesOf(service.stdout()).filter(({ requestId }) => requestId === id);
      await expect
        .poll(lines)
        .toMatchObject([{ trace_id: id, span_id: named(ofTrace(id), 'GET /v1/pets').spanId }]);
    }
  });

  test('the delivery of a message is a trace, which the receiver can continue', async () => {
    const { client } = traced;
    expect((await client.post('/v1/messages', { message: 'hello' })).status).toBe(202);
    const calls = () => collector.spans.filter(({ name, kind }) => name === 'POST' && kind === CLIENT);
    await expect.poll(calls).toMatchObject([{ parentSpanId: '' }]);
    const call = named(collector.spans, 'POST');
    expect(call.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'server.port': receiverPort });
    expect(JSON.stringify(collector.spans)).not.toContain('s3cret');
    expect(traceparents).toEqual([`00-${call.traceId}-${call.spanId}-01`]);
  });

  test('a span shows that a key is wrong, that a path is unknown, or that the service failed', async () => {
    const { client, service } = traced;
    const [refused, lost, fault] = [newTraceId(), newTraceId(), newTraceId()];
    await client.withKey('wrong').get('/v1/pets', of(refused));
    await client.get('/v1/nothing', of(lost));
    await client.get('/v1/store/orders', of(fault));
    await untilExported([refused, lost, fault]);
    expect(named(ofTrace(refused), 'GET /v1/pets')).toMatchObject({
      status: 0,
      attributes: { 'http.response.status_code': 401 },
    });
    const { attributes } = named(ofTrace(lost), 'GET');
    expect(attributes).toMatchObject({ 'http.response.status_code': 404 });
    expect(attributes).not.toHaveProperty('http.route');
    expect(named(ofTrace(fault), 'GET /v1/store/orders')).toMatchObject({
      status: ERROR,
      attributes: { 'http.response.status_code': 500, 'error.type': '500' },
    });
    const [statement] = ofTrace(fault).filter(({ attributes }) =>
      String(attributes['db.query.text']).includes('FROM store_order'),
    );
    expect(statement?.status).toBe(ERROR);
    const logged = () => linesOf(service.stdout()).filter(({ trace_id }) => trace_id === fault);
    await expect.poll(() => logged().map(({ msg }) => msg)).toEqual(['InternalError', 'request']);
  });
});

test('OTEL_TRACES_SAMPLER, OTEL_LOG_LEVEL, OTEL_SERVICE_NAME and OTEL_EXPORTER_OTLP_HEADERS take effect', async () => {
  const collector = await startCollector();
  const { client, service } = await start({
    ...collector.environment,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_LOG_LEVEL: 'debug',
    OTEL_SERVICE_NAME: 'shop',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret',
  });
  await client.get('/v1/pets');
  const traceId = newTraceId();
  await client.get('/v1/pets', of(traceId));
  // Its end exports all spans.
  const { code, stdout } = await service.stop();
  expect(code).toBe(0);
  const isOfOpenTelemetry = ({ msg }: Line) => msg.startsWith('OpenTelemetry: ');
  expect(linesOf(stdout).filter(isOfOpenTelemetry)).toContainEqual(
    expect.objectContaining({
      msg: expect.stringMatching(/^OpenTelemetry: @opentelemetry\/instrumentation-http Applying /) as string,
    }),
  );
  expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(collector.spans[0]?.resource['service.name']).toBe('shop');
  expect(collector.requests[0]?.headers['api-key']).toBe('secret');
});

test('an unavailable collector is logged, and delays neither requests nor the end of the process', async () => {
  const { service, client } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '10',
  });
  await client.get('/v1/pets');
  await expect
    .poll(() => service.stdout(), { timeout: 30_000 })
    .toMatch(/"msg":"OpenTelemetry: .*ECONNREFUSED/);
  const lines = linesOf(service.stdout()).filter(({ msg }) => msg.startsWith('OpenTelemetry: '));
  for (const line of lines) expect(line, 'outside of requests').not.toHaveProperty('trace_id');
  for (let n = 0; n < 20; n++) expect((await client.get('/v1/pets')).status).toBe(200);
  const { code, stderr } = await service.stop();
  expect(code).toBe(0);
  expect(stderr).toBe('');
});
