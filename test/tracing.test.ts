import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { dataSourceOptions, openDataSource } from '#src/database/data-source';
import { readConfig } from '#src/config/config';

import { Client } from './support/client.ts';
import { type CollectedSpan, startCollector } from './support/collector.ts';
import { createDatabase } from './support/database.ts';
import { petstore } from './support/petstore.ts';
import { freePort } from './support/postgres.ts';
import { spawnService, startServiceProcess } from './support/process.ts';
import { sendRaw } from './support/raw-request.ts';

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
const ERROR = 2;

const newTraceId = () => randomBytes(16).toString('hex');

/** The headers of a caller that is traced. */
const of = (traceId: string, flags = '01') => ({
  headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` },
});

/** A process with a key, on a database of its own that `sql` may change before the start. */
async function start(environment: NodeJS.ProcessEnv, sql?: string) {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const { stdout } = await petstore(database.environment, ['keys', 'create', '--account', 'test']);
  const [key] = /ps_\w+/.exec(stdout) ?? [];
  if (sql !== undefined) {
    const dataSource = await openDataSource(dataSourceOptions(readConfig(database.environment)));
    await dataSource.query(sql);
    await dataSource.destroy();
  }
  const service = await startServiceProcess({ ...database.environment, ...environment });
  return { service, client: await Client.of(service.url, key), database };
}

async function startTraced(environment: NodeJS.ProcessEnv = {}, sql?: string) {
  const collector = await startCollector();
  const started = await start({ ...collector.environment, ...environment }, sql);
  /** Stops the service, and gives all its spans of a trace. */
  const stop = async () => {
    const exit = await started.service.stop();
    const ofTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
    return { ...exit, lines: linesOf(exit.stdout), ofTrace };
  };
  return { ...started, collector, stop };
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

test('a request, the operation of the service and its statement are one trace, which goes on with the caller’s', async () => {
  const { client, stop, collector } = await startTraced();
  await client.get('/v1/pets');
  const traceId = newTraceId();
  const state = { tracestate: 'vendor=value' };
  await client.get('/v1/pets?limit=5&q=s3cret', { headers: { ...of(traceId).headers, ...state } });
  const { ofTrace, code } = await stop();
  expect(code).toBe(0);
  const spans = ofTrace(traceId);
  expect(spans).toHaveLength(3);
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
  const operation = named(spans, 'PetsService.list');
  expect(operation).toMatchObject({ kind: INTERNAL, parentSpanId: request.spanId });
  const statement = named(spans, 'pet-list');
  expect(statement).toMatchObject({
    kind: CLIENT,
    parentSpanId: operation.spanId,
    links: [],
    attributes: {
      'db.system.name': 'postgresql',
      'db.query.summary': 'pet-list',
      'db.query.text': 'SELECT id, name, category_id, status FROM pet WHERE id > $1 ORDER BY id LIMIT $2',
    },
  });
  expect(collector.requests[0]).toMatchObject({
    url: '/v1/traces',
    headers: { 'content-type': 'application/x-protobuf' },
  });
  const text = JSON.stringify(collector.spans);
  expect(text).not.toContain('s3cret');
  expect(text).not.toContain(client.key);
});

test('a delivery goes on with its trace where it calls', async () => {
  const collector = await startCollector();
  const traceparents: unknown[] = [];
  const receiver = createServer((request, response) => {
    traceparents.push(request.headers['traceparent']);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => {
    receiver.close().closeAllConnections();
  });
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const dataSource = await openDataSource(dataSourceOptions(readConfig(database.environment)));
  await dataSource.query(`
    WITH made AS (INSERT INTO account (name) VALUES ('test') RETURNING id)
    INSERT INTO message (id, account_id, message, status, created_at)
    SELECT gen_random_uuid(), id, 'hello', 'queued', now() FROM made`);
  await dataSource.destroy();
  const RECEIVER_URL = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const service = spawnService({ ...database.environment, ...collector.environment, RECEIVER_URL }, [
    'test/deliveries/service.ts',
  ]);
  await expect.poll(() => traceparents.length, { timeout: 50_000 }).toBe(1);
  service.signal('SIGTERM');
  expect((await service.exit).code).toBe(0);
  const delivery = named(collector.spans, 'DeliveryWorker.deliver');
  expect(traceparents).toEqual([`00-${delivery.traceId}-${delivery.spanId}-01`]);
});

test.each([
  ['lists', 'GET', 'PetsService.list', /^pet-lists?$/],
  ['creates', 'POST', 'PetsService.create', /^pet-insert$/],
])(
  'a query that served several %s links each of them, and each of them links it',
  async (_, method, operation, query) => {
    const { client, stop } = await startTraced();
    // Known to the process before, so that none of them waits for the look-up.
    await client.get('/v1/pets');
    const traceIds = Array.from({ length: 50 }, newTraceId);
    // Sent as one piece, they arrive together however slow the machine is.
    const body = method === 'POST' ? '{"name":"Kitty","categoryId":1}' : '';
    const requests = traceIds.map((id, n) =>
      [
        `${method} /v1/pets?after=${n % 7} HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${client.key ?? ''}`,
        `traceparent: ${of(id).headers.traceparent}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        ...(n === 49 ? ['Connection: close'] : []),
        `\r\n${body}`,
      ].join('\r\n'),
    );
    await sendRaw(client.url, requests.join(''));
    const { ofTrace } = await stop();
    const spans = traceIds.flatMap(ofTrace);
    const operations = spans.filter(({ name }) => name === operation);
    const statements = spans.filter(({ name }) => query.test(name));
    expect(operations).toHaveLength(50);
    expect(statements.length).toBeLessThan(50);
    const servedBy = (id: string) =>
      statements.filter(
        ({ links, parentSpanId }) => links.includes(id) || (links.length === 0 && parentSpanId === id),
      );
    for (const { spanId, links } of operations) {
      const [statement, ...others] = servedBy(spanId);
      expect(statement).toBeDefined();
      expect(others).toEqual([]);
      if (statement && statement.links.length > 0) expect(links).toEqual([statement.spanId]);
    }
    for (const { links, parentSpanId, traceId } of statements) {
      const parent = operations.find(({ spanId }) => spanId === parentSpanId);
      expect(parent?.traceId).toBe(traceId);
      if (links.length > 0) expect(links[0]).toBe(parentSpanId);
    }
  },
);

test('what its caller does not sample is not sent, and a traceparent that is none begins a trace', async () => {
  const { client, stop, collector } = await startTraced();
  const unsampled = newTraceId();
  await client.get('/v1/pets', of(unsampled, '00'));
  const malformed = [
    '00-xyz',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${newTraceId()}-00f067aa0ba902b7-01`,
  ];
  for (const traceparent of malformed) await client.get('/v1/pets/1', { headers: { traceparent } });
  const { ofTrace, lines } = await stop();
  expect(ofTrace(unsampled)).toEqual([]);
  const begun = collector.spans.filter(({ name }) => name === 'GET /v1/pets/:petId');
  expect(begun.map(({ parentSpanId }) => parentSpanId)).toEqual(['', '', '']);
  expect(new Set(begun.map(({ traceId }) => traceId)).size).toBe(3);
  // The caller's trace is told of all the same.
  expect(lines.filter(({ trace_id }) => trace_id === unsampled)).toHaveLength(1);
});

test('OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME and OTEL_EXPORTER_OTLP_HEADERS are obeyed', async () => {
  const { client, stop, collector } = await startTraced({
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_SERVICE_NAME: 'shop',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret',
  });
  await client.get('/v1/pets');
  const traceId = newTraceId();
  await client.get('/v1/pets', of(traceId));
  const { ofTrace } = await stop();
  expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(ofTrace(traceId)[0]?.resource['service.name']).toBe('shop');
  expect(collector.requests[0]?.headers['api-key']).toBe('secret');
});

test('a refused key, a path that is none and a fault of the service are told apart', async () => {
  const { client, stop } = await startTraced({}, 'ALTER TABLE store_order RENAME TO elsewhere');
  const [refused, lost, fault] = [newTraceId(), newTraceId(), newTraceId()];
  await client.withKey('wrong').get('/v1/pets', of(refused));
  await client.get('/v1/nothing', of(lost));
  await client.get('/v1/store/orders', of(fault));
  const { ofTrace, lines } = await stop();
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
  expect(named(ofTrace(fault), 'StoreService.list').status).toBe(ERROR);
  expect(named(ofTrace(fault), 'order-list')).toMatchObject({
    status: ERROR,
    attributes: { 'db.response.status_code': '42P01', 'error.type': '42P01' },
  });
  const told = lines.filter(({ trace_id }) => trace_id === fault);
  expect(told.map(({ msg }) => msg)).toEqual(['InternalError', 'request']);
});

test('each line of the log that belongs to a request tells its trace and span', async () => {
  const { client, stop } = await startTraced();
  const traceIds = Array.from({ length: 20 }, newTraceId);
  await Promise.all(
    traceIds.map((id) => client.get('/v1/pets', { headers: { ...of(id).headers, 'x-request-id': id } })),
  );
  const { lines, ofTrace } = await stop();
  for (const id of traceIds) {
    expect(lines.filter(({ requestId }) => requestId === id)).toMatchObject([
      { trace_id: id, span_id: named(ofTrace(id), 'GET /v1/pets').spanId },
    ]);
  }
});

test('without a collector nothing of OpenTelemetry is loaded, and the log tells no trace', async () => {
  const watch = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      if (url.includes('@opentelemetry')) process.stderr.write(url);
      return next(url, context);
    } });`;
  const program = ['--import', `data:text/javascript,${encodeURIComponent(watch)}`, 'dist/src/main.js'];
  const run = async (environment: NodeJS.ProcessEnv) => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const service = spawnService({ ...database.environment, ...environment }, program);
    await expect.poll(service.stdout, { timeout: 50_000 }).toContain('Listening on ');
    const [, url = ''] = /Listening on (http:\S+),/.exec(service.stdout()) ?? [];
    await fetch(`${url}/health/live`, of(newTraceId()));
    service.signal('SIGTERM');
    return service.exit;
  };
  const { stderr, stdout } = await run({});
  expect(stderr).toBe('');
  expect(stdout).toContain('"route":"/health/live"');
  expect(stdout).not.toContain('trace_id');
  // The watch sees what is loaded.
  const traced = await run((await startCollector()).environment);
  expect(traced.stderr).toContain('@opentelemetry');
});

test('a collector that is away is told of once, and holds up neither a request nor the stop', async () => {
  const { service, client } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '10',
  });
  const failures = () =>
    linesOf(service.stdout()).filter(({ msg }) => msg === 'The collector takes no traces');
  await expect
    .poll(
      async () => {
        await client.get('/v1/pets');
        return failures().length;
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  for (let n = 0; n < 20; n++) expect((await client.get('/v1/pets')).status).toBe(200);
  const { code, stdout, stderr } = await service.stop();
  expect(code).toBe(0);
  expect(stderr).toBe('');
  expect(linesOf(stdout).filter(({ level }) => level > 30)).toHaveLength(1);
});
