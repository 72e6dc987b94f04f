import { expect, onTestFinished, test } from 'vitest';

import { Connection } from '../support/connection.ts';
import { createDatabase } from '../support/database.ts';
import { type ListeningProcess, startServiceProcess } from '../support/process.ts';

async function start(environment: NodeJS.ProcessEnv = {}): Promise<ListeningProcess> {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  return startServiceProcess({ ...database.environment, ...environment });
}

/** The start of a request to /health/live, without the end of its headers. */
const HALF_A_REQUEST = ['GET /health/live HTTP/1.1', 'Host: localhost', ''];

/** Resolves when the service has read all data that was sent on other connections. */
async function untilRead(url: string): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await (await fetch(`${url}/health/live`)).text();
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends an idle process with code 0', async (signal) => {
  const service = await start();
  expect(await service.stop(signal)).toMatchObject({ code: 0, signal: null, stderr: '' });
});

test('a request in progress is answered before the process ends', async () => {
  const service = await start();
  const connection = (await Connection.to(service.url)).write(...HALF_A_REQUEST);
  await untilRead(service.url);
  service.signal('SIGTERM');
  await expect.poll(service.stdout).toContain('SIGTERM: stopping');
  connection.write('', '', '');
  expect(await service.exit).toMatchObject({ code: 0, stderr: '' });
  expect(connection.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(connection.received()).toContain('Connection: close');
  expect(connection.received()).toMatch(/{"status":"ok"}$/);
});

test('a request that began before the signal and ends after it is answered with Connection: close', async () => {
  const service = await start({ SIGNUP: 'open' });
  const connection = await Connection.to(service.url);
  connection.write('POST /accounts HTTP/1.1', 'Host: localhost', 'Content-Type: application/json');
  connection.write('', 'Content-Length: 16', '', '{"name":');
  await untilRead(service.url);
  service.signal('SIGTERM');
  await expect.poll(service.stdout).toContain('SIGTERM: stopping');
  connection.write('"Kitty"}');
  expect(await service.exit).toMatchObject({ code: 0, stderr: '' });
  expect(connection.received()).toMatch(/^HTTP\/1\.1 201 [^]*Connection: close\r\n[^]*}$/);
});

test('a stopping process reports that it is not ready, and still answers requests', async () => {
  const service = await start();
  const connection = await Connection.to(service.url);
  connection.write('GET /health/ready HTTP/1.1', 'Host: localhost', '');
  await untilRead(service.url);
  service.signal('SIGTERM');
  await expect.poll(service.stdout).toContain('SIGTERM: stopping');
  const late = (await Connection.to(service.url)).write(...HALF_A_REQUEST, '', '');
  connection.write('', '', '');
  expect(await service.exit).toMatchObject({ code: 0 });
  expect(connection.received()).toMatch(/^HTTP\/1\.1 503 /);
  expect(connection.received()).toMatch(/Retry-After: 1/i);
  expect(late.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('a request on an open connection right after the signal is answered, and the connection is closed', async () => {
  const service = await start();
  const unused = await Connection.to(service.url);
  const kept = (await Connection.to(service.url)).write(...HALF_A_REQUEST, '', '');
  await expect.poll(kept.received).toContain('{"status":"ok"}');
  service.signal('SIGTERM');
  await expect.poll(service.stdout).toContain('SIGTERM: stopping');
  for (const connection of [unused, kept]) connection.write(...HALF_A_REQUEST, '', '');
  expect(await service.exit).toMatchObject({ code: 0, stderr: '' });
  expect(unused.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close[^]*{"status":"ok"}$/);
  expect(kept.received()).toMatch(
    /{"status":"ok"}HTTP\/1\.1 200 OK\r\n[^]*Connection: close[^]*{"status":"ok"}$/,
  );
});

test('idle connections do not delay the end', async () => {
  const service = await start({ SHUTDOWN_TIMEOUT_MS: '50000' });
  const unused = await Connection.to(service.url);
  const kept = (await Connection.to(service.url)).write(...HALF_A_REQUEST, '', '');
  await expect.poll(kept.received).toContain('{"status":"ok"}');
  await untilRead(service.url);
  const { code, stdout } = await service.stop();
  expect(code).toBe(0);
  expect(stdout).not.toContain('Stopped before everything was answered');
  await expect.poll(() => unused.isClosed() && kept.isClosed()).toBe(true);
});

test('a request that never ends is aborted at the deadline', async () => {
  const service = await start({ SHUTDOWN_TIMEOUT_MS: '300' });
  const hanging = (await Connection.to(service.url)).write(...HALF_A_REQUEST);
  await untilRead(service.url);
  const { code, stdout } = await service.stop();
  expect(code).toBe(1);
  expect(stdout).toContain('Stopped before everything was answered and closed');
  expect(hanging.received()).toBe('');
});

test('further signals do not cut off a request that is in progress', async () => {
  const service = await start({ SHUTDOWN_TIMEOUT_MS: '50000' });
  const slow = (await Connection.to(service.url)).write(...HALF_A_REQUEST);
  await untilRead(service.url);
  service.signal('SIGINT');
  await expect.poll(service.stdout).toContain('SIGINT: stopping');
  service.signal('SIGINT');
  service.signal('SIGTERM');
  slow.write('', '', '');
  expect(await service.exit).toMatchObject({ code: 0, stderr: '' });
  expect(slow.received()).toContain('{"status":"ok"}');
});
