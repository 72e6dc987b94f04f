import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { createDatabase } from '../support/database.ts';
import { type Shop, shopEnvironment, shopProgram, startShop } from './support/shop.ts';

async function startShopForTest(environment: NodeJS.ProcessEnv): Promise<Shop> {
  const database = await createDatabase();
  const shop = await startShop(database, { ...database.environment, ...environment });
  onTestFinished(() => shop.stop());
  return shop;
}

/** A server whose answers have the status that a test sets. */
async function startCalendar() {
  const calendar = { status: 200, url: '' };
  const server = createServer((_request, response) => response.writeHead(calendar.status).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  calendar.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return calendar;
}

/** A port that is free now. */
async function findFreePort(): Promise<string> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return String(port);
}

test('a readiness indicator of the team is checked with those of the service', async () => {
  const calendar = await startCalendar();
  const shop = await startShopForTest({ CLINIC_CALENDAR_URL: calendar.url });
  const ready = () => shop.client.withKey(undefined).get('/health/ready');
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok' } });
  calendar.status = 500;
  const answer = await ready();
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'unavailable', message: 'The service is not ready. These checks fail: calendar.' },
  });
  expect(answer.headers.get('retry-after')).toBe('1');
  await expect.poll(() => shop.stdout()).toContain('the calendar answers with 500');
  calendar.status = 204;
  expect((await ready()).status).toBe(200);
});

test('what a module logs while the application is created is in the log', async () => {
  const shop = await startShopForTest({});
  expect(shop.stdout().split('"context":"Clinic","msg":"opens"')).toHaveLength(2);
});

test('the shutdown hooks of the team run once, also if the team enables them', async () => {
  const shop = await startShopForTest({});
  const { code, stdout, stderr } = await shop.end();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('closed by SIGTERM')).toHaveLength(2);
});

test('a variable of the team configures its module', async () => {
  const shop = await startShopForTest({ CLINIC_OPENS_AT: '7' });
  expect((await shop.client.get('/clinic/visits')).headers.get('x-opening-hours')).toBe('7-17');
});

test('a metric of the team is at /metrics', async () => {
  const port = await findFreePort();
  const shop = await startShopForTest({ METRICS_PORT: port });
  const visit = { petId: 1, reason: 'limps', weightGrams: 4000, owner: { name: 'Ann', customerId: 7 } };
  await shop.client.post('/clinic/visits', visit);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(text).toContain('clinic_visits_total{urgency="low"} 1');
  expect(text).toContain('petstore_http_requests_in_flight');
});

test('a command of the team uses its services', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const environment = {
    ...shopEnvironment('http://127.0.0.1:9/', 'http://127.0.0.1:9/'),
    ...database.environment,
  };
  const command = (...args: string[]) =>
    runCommand(process.execPath, [shopProgram('cli.js'), ...args], environment);
  expect(await command('reviews', 'count')).toMatchObject({ code: 0, stdout: '0\n', stderr: '' });
  expect((await command('--help')).stdout).toContain('report on the reviews');
});
