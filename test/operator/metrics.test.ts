import { createConnection } from 'node:net';

import { Counter, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { expect, test } from 'vitest';

import { HealthService } from '#src/health/health.service';
import { MetricsServer } from '#src/observability/metrics/metrics.server';
import { PetsRepository } from '#src/pets/pets.repository';

import { sendRaw } from '../support/raw-request.ts';
import { type Service, startServiceForTest, useService } from '../support/service.ts';

const service = useService();

const metricsUrl = ({ app }: Service) => `http://127.0.0.1:${app.get(MetricsServer).port ?? ''}/metrics`;

/** Reads all metrics, by their names and labels. */
async function readMetrics(): Promise<Map<string, number>> {
  const answer = await fetch(metricsUrl(service));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** Returns how much each metric grew during the work. A request counts when its response is closed. */
async function growthBy(work: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await readMetrics();
  await work();
  await expect.poll(async () => (await readMetrics()).get('petstore_http_requests_in_flight')).toBe(0);
  const after = await readMetrics();
  return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
}

const requests = (method: string, route: string, status: number) =>
  `petstore_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

test('requests are counted and measured in seconds by method, route and status, without health checks', async () => {
  const growth = await growthBy(async () => {
    for (const id of [1n, 2n, 3n]) await service.client.get(`/v1/pets/${id}`);
    await service.client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
    await service.client.post('/v1/pets', { name: '' });
    await service.client.get('/v1/pets');
    await service.client.withKey(undefined).get('/v1/pets');
    for (const name of ['live', 'ready']) await fetch(`${service.url}/health/${name}`);
  });
  expect(growth(requests('GET', '/v1/pets/:petId', 404))).toBe(3);
  expect(growth(requests('POST', '/v1/pets', 201))).toBe(1);
  expect(growth(requests('POST', '/v1/pets', 400))).toBe(1);
  expect(growth(requests('GET', '/v1/pets', 200))).toBe(1);
  expect(growth(requests('GET', '/v1/pets', 401))).toBe(1);
  for (const name of ['live', 'ready']) expect(growth(requests('GET', `/health/${name}`, 200))).toBe(0);
  const seconds = growth(requests('GET', '/v1/pets', 200).replace('_count', '_sum'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(10);
});

test('an unknown path creates no metric', async () => {
  await growthBy(() => service.client.get('/v1/nothing'));
  const known = [...(await readMetrics()).keys()];
  const growth = await growthBy(async () => {
    for (let n = 0; n < 20; n++) await service.client.get(`/v1/nothing/${n}?q=${n}`);
  });
  expect(growth(requests('GET', 'other', 404))).toBe(20);
  const isRequest = (name: string) => name.startsWith('petstore_http_request_duration');
  expect([...(await readMetrics()).keys()].filter(isRequest)).toEqual(known.filter(isRequest));
  expect(known.join()).not.toContain('nothing');
});

test('methods that no operation has are counted together', async () => {
  const send = (methods: string[]) =>
    growthBy(async () => {
      for (const method of methods) await service.client.send(method, '/v1/pets');
    });
  await send(['MKCALENDAR']);
  const known = [...(await readMetrics()).keys()];
  const growth = await send(['PROPFIND', 'LINK', 'M-SEARCH', 'UNLOCK']);
  expect(growth(requests('other', '/v1/pets', 405))).toBe(4);
  expect([...(await readMetrics()).keys()]).toEqual(known);
});

test('a request is no longer in flight after its client has disconnected', async () => {
  await growthBy(async () => {
    const socket = createConnection(Number(new URL(service.url).port), '127.0.0.1');
    const authorization = `Authorization: Bearer ${service.client.key ?? ''}\r\n`;
    const type = 'Content-Type: application/json\r\nContent-Length: 2\r\n';
    socket.write(`POST /v1/pets HTTP/1.1\r\nHost: a\r\n${authorization}${type}\r\n{`);
    await expect.poll(async () => (await readMetrics()).get('petstore_http_requests_in_flight')).toBe(1);
    socket.destroy();
  });
});

test('statements are counted by name, and batches by their number of requests', async () => {
  const growth = await growthBy(async () => {
    const messages = Array.from({ length: 50 }, () =>
      service.client.post('/v1/messages', { message: 'hello' }),
    );
    for (const { status } of await Promise.all(messages)) expect(status).toBe(202);
  });
  const countOf = (statement: string) =>
    growth(`petstore_database_statement_duration_seconds_count{statement="${statement}",outcome="success"}`);
  const statements = countOf('message-insert');
  expect(statements).toBeLessThan(50);
  expect(growth('petstore_batch_items_count{batch="message-insert"}')).toBe(statements);
  expect(growth('petstore_batch_items_sum{batch="message-insert"}')).toBe(50);
});

test('16 different pages of 100 animals share a statement', async () => {
  const growth = await growthBy(async () => {
    const pets = service.app.get(PetsRepository);
    const lists = Array.from({ length: 32 }, (_, after) =>
      pets.list(1n, { after: BigInt(after), limit: 100 }),
    );
    expect(await Promise.all(lists)).toHaveLength(32);
  });
  expect(growth('petstore_batch_items_count{batch="pet-list"}')).toBe(2);
  expect(growth('petstore_batch_items_sum{batch="pet-list"}')).toBe(32);
});

test('a failed statement counts as a failure', async () => {
  const growth = await growthBy(async () => {
    const database = service.app.get(DataSource);
    await database.query('ALTER TABLE store_order RENAME TO elsewhere');
    expect((await service.client.get('/v1/store/orders')).status).toBe(500);
    await database.query('ALTER TABLE elsewhere RENAME TO store_order');
  });
  expect(
    growth('petstore_database_statement_duration_seconds_count{statement="order-list",outcome="failure"}'),
  ).toBe(1);
});

test('connections, waiting requests and the process are measured', async () => {
  await service.client.get('/v1/pets');
  const metrics = await readMetrics();
  const connections = ['active', 'idle'].map(
    (state) => metrics.get(`petstore_database_connections{state="${state}"}`) ?? NaN,
  );
  expect(connections[0]).toBe(0);
  expect(connections[1]).toBeGreaterThan(0);
  expect(metrics.get('petstore_database_waiting{for="turn"}')).toBe(0);
  expect(metrics.get('petstore_database_waiting{for="connection"}')).toBe(0);
  expect(metrics.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(metrics.get('process_resident_memory_bytes')).toBeGreaterThan(0);
});

test('messages that are not delivered are measured', async () => {
  const database = service.app.get(DataSource);
  await database.query('DELETE FROM message');
  for (const message of ['one', 'two']) await service.client.post('/v1/messages', { message });
  await database.query(
    `UPDATE message SET parked_at = now(), created_at = now() - interval '1 hour' WHERE message = 'two'`,
  );
  const metrics = await readMetrics();
  expect(metrics.get('petstore_messages{state="waiting"}')).toBe(1);
  expect(metrics.get('petstore_messages{state="parked"}')).toBe(1);
  expect(metrics.get('petstore_message_oldest_age_seconds{state="waiting"}')).toBeLessThan(3600);
  expect(metrics.get('petstore_message_oldest_age_seconds{state="parked"}')).toBeGreaterThanOrEqual(3600);
});

test('a metric that a provider registers is served', async () => {
  const registry = service.app.get(Registry);
  new Counter({ name: 'shop_visits_total', help: 'Visits.', registers: [registry] }).inc(3);
  expect((await readMetrics()).get('shop_visits_total')).toBe(3);
});

test('the port serves the health checks while a client holds all connections of the service', async () => {
  const other = await startServiceForTest({ MAX_CONNECTIONS: '1' });
  // The client of the service has the only connection.
  expect((await other.client.get('/v1/pets')).status).toBe(200);
  await expect(sendRaw(other.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')).rejects.toThrow();
  const check = async (name: string) =>
    (await fetch(metricsUrl(other).replace('/metrics', `/health/${name}`))).status;
  expect([await check('live'), await check('ready')]).toEqual([200, 200]);
  other.app.get(HealthService).stop('SIGTERM');
  expect([await check('live'), await check('ready')]).toEqual([200, 503]);
});

test('the port serves nothing else, and closes with the service', async () => {
  const other = await startServiceForTest({});
  const url = metricsUrl(other);
  expect((await fetch(url.replace('/metrics', '/v1/pets'))).status).toBe(404);
  expect((await fetch(`${other.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${url}?job=petstore`)).status).toBe(200);
  await other.app.close();
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('without METRICS_PORT there is no port', async () => {
  const other = await startServiceForTest({ METRICS_PORT: '' });
  expect(other.app.get(MetricsServer).port).toBeUndefined();
});
