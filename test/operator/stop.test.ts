import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { Connection } from '../support/connection.ts';
import { createDatabaseForTest } from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { type ListeningProcess, MAIN, spawnService, startServiceProcess } from '../support/process.ts';

async function start(environment: NodeJS.ProcessEnv = {}): Promise<ListeningProcess> {
  const database = await createDatabaseForTest();
  return startServiceProcess({ ...database.environment, ...environment });
}

/** The start of a request to /health/live, without the end of its headers. */
const HALF_A_REQUEST = ['GET /health/live HTTP/1.1', 'Host: localhost', ''];

/** Resolves when the service has read all data that was sent on other connections. */
async function untilRead(url: string): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await (await fetch(`${url}/health/live`)).text();
}

test('a stop answers the requests in progress with Connection: close, and those that still arrive, reports that the service is not ready, and is delayed neither by idle connections nor by further signals', async () => {
  const service = await start({ SIGNUP: 'open', SHUTDOWN_TIMEOUT_MS: '50000' });
  const [idle, unused] = [await Connection.to(service.url), await Connection.to(service.url)];
  const [used, kept] = [await Connection.to(service.url), await Connection.to(service.url)];
  for (const connection of [used, kept]) {
    connection.write(...HALF_A_REQUEST, '', '');
    await expect.poll(connection.received).toContain('{"status":"ok"}');
  }
  const headers = (await Connection.to(service.url)).write(...HALF_A_REQUEST);
  const probe = await Connection.to(service.url);
  probe.write('GET /health/ready HTTP/1.1', 'Host: localhost', '');
  const body = await Connection.to(service.url);
  body.write('POST /accounts HTTP/1.1', 'Host: localhost', 'Content-Type: application/json');
  body.write('', 'Content-Length: 16', '', '{"name":');
  await untilRead(service.url);
  service.signal('SIGINT');
  await expect.poll(service.stdout).toContain('SIGINT: stopping');
  service.signal('SIGINT');
  service.signal('SIGTERM');
  const late = await Connection.to(service.url);
  for (const connection of [late, unused, kept]) connection.write(...HALF_A_REQUEST, '', '');
  for (const connection of [headers, probe]) connection.write('', '', '');
  body.write('"Kitty"}');
  expect(await service.exit).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(service.stdout().match(/stopping/g)).toHaveLength(1);
  expect(service.stdout()).not.toContain('Stopped before everything was answered');
  await expect.poll(() => idle.isClosed() && used.isClosed()).toBe(true);
  expect(late.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  for (const connection of [headers, unused])
    expect(connection.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close[^]*{"status":"ok"}$/);
  expect(kept.received()).toMatch(
    /{"status":"ok"}HTTP\/1\.1 200 OK\r\n[^]*Connection: close[^]*{"status":"ok"}$/,
  );
  expect(body.received()).toMatch(/^HTTP\/1\.1 201 [^]*Connection: close\r\n[^]*}$/);
  expect(probe.received()).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1/i);
});

test('a body that stalls is refused, and does not hold the stop until the deadline', async () => {
  const service = await start({ SIGNUP: 'open', SHUTDOWN_TIMEOUT_MS: '50000' });
  const body = await Connection.to(service.url);
  body.write('POST /accounts HTTP/1.1', 'Host: localhost', 'Content-Type: application/json');
  body.write('', 'Content-Length: 16', '', '{"name":');
  await untilRead(service.url);
  expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  expect(body.received()).toMatch(/^HTTP\/1\.1 503 [^]*"code":"unavailable"/);
});

test('a request that never ends is aborted at the deadline', async () => {
  const service = await start({ SHUTDOWN_TIMEOUT_MS: '300' });
  const hanging = (await Connection.to(service.url)).write(...HALF_A_REQUEST);
  await untilRead(service.url);
  const { code, stdout } = await service.stop('SIGHUP');
  expect(code).toBe(1);
  expect(stdout).toContain('Stopped before everything was answered and closed');
  expect(hanging.received()).toBe('');
});

test('a signal during the start ends the process as well', async () => {
  const service = spawnService({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  await expect.poll(service.stdout).toContain('The database is not available yet');
  service.signal('SIGTERM');
  expect(await service.exit).toMatchObject({ code: 0, signal: null, stderr: '' });
});

test('a signal while the modules are loaded ends the process before it opens the database', async () => {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name === '@nestjs/core') process.kill(process.pid, 'SIGTERM');
      return next(name, context);
    } })`;
  const dataDirectory = join(await makeDirectoryForTest(), 'data');
  // With a compile cache, which only the tests use, Node 24 can hang in the end of the process.
  const environment = { DATA_DIR: dataDirectory, NODE_DISABLE_COMPILE_CACHE: '1' };
  const service = spawnService(environment, ['--import', `data:text/javascript,${hook}`, MAIN]);
  expect(await service.exit).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(existsSync(dataDirectory)).toBe(false);
});

test('a process can serve many applications without a warning of Node, and a hook that fails does not hold their stop', async () => {
  const program = `
    import { serve } from './dist/src/create-app.js';
    import { AppModule } from './dist/src/app.module.js';
    import { createTestApp } from './dist/src/testing/create-test-app.js';
    const environment = { PORT: '0', LOG_LEVEL: 'info' };
    // The default is 10 listeners. With fewer, fewer applications would cause the warning.
    process.setMaxListeners(5);
    class Root {}
    class Hook {
      onApplicationShutdown(signal) {
        if (!signal) return;
        console.log('the hook gets ' + signal);
        if (++stopped === 1) throw new Error('the hook fails');
      }
    }
    let stopped = 0;
    const root = { module: Root, imports: [AppModule], providers: [Hook] };
    const serveOne = async () => serve(await createTestApp(root, undefined, environment));
    await (await serveOne()).close();
    for (let count = 0; count < 3; count++) await serveOne();
    console.log('all are served');`;
  const service = spawnService({}, ['--input-type=module', '--eval', program]);
  await vi.waitFor(() => expect(service.stdout()).toContain('all are served'), 150_000);
  service.signal('SIGTERM');
  const { code, stdout, stderr } = await service.exit;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).not.toContain('Stopped before everything was answered');
  expect(stdout.match(/the hook gets SIGTERM/g)).toHaveLength(3);
}, 180_000);
