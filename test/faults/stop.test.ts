import { expect, test } from 'vitest';

import { Connection } from '../support/connection.ts';
import { freePort } from '../support/postgres.ts';
import { type ListeningProcess, startServiceProcess } from '../support/process.ts';
import type { NotReceived } from './support/exchange.ts';
import { Load } from './support/load.ts';
import { rounds } from './support/mode.ts';
import { recordLoad } from './support/results.ts';
import { createStore, usePostgres } from './support/store.ts';
import { ANSWER_WITHIN_MS } from './support/timeouts.ts';

const postgres = usePostgres();
const STOPS = rounds(100, 1);

/** A connection that the operating system accepted before the listener closed, but the service did not. */
const neverTaken = ({ kind, reused, detail }: NotReceived) =>
  kind === 'cut' && !reused && !detail.startsWith('half an answer');

/** A request without its last line. */
const requestTo = (path: string) => [`GET ${path} HTTP/1.1`, 'Host: localhost', ''];

/** Stops the service. It reports that it is not ready, and still answers requests. */
async function stop(service: ListeningProcess): Promise<string> {
  const kept = (await Connection.to(service.url)).write(...requestTo('/health/ready'), '', '');
  await expect.poll(kept.received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*{"status":"ok"}$/);
  service.signal('SIGTERM');
  await expect.poll(service.stdout).toContain('SIGTERM: stopping');
  kept.write(...requestTo('/health/ready'), '', '');
  const { code, stdout, stderr } = await service.exit;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(kept.received()).toMatch(/}HTTP\/1\.1 503 [^]*Connection: close[^]*"code":"unavailable"/);
  return stdout;
}

test('on SIGTERM under load every accepted request gets a complete response, and the exit code is 0', async () => {
  const { DATABASE_URL, key } = await createStore(postgres.server);
  const PORT = String(await freePort());
  const start = () => startServiceProcess({ DATABASE_URL, PORT });
  let service = await start();
  const load = Load.start(
    { url: service.url, key },
    { answerWithinMs: ANSWER_WITHIN_MS, mayCut: neverTaken, maxPauseMs: 0 },
  );
  let recoveryMs = 0;
  for (let stops = 0; stops < STOPS; stops++) {
    await load.untilSucceeded(200);
    expect(await stop(service)).not.toContain('Stopped before everything was answered');
    const restartedAt = performance.now();
    service = await start();
    recoveryMs = Math.max(recoveryMs, await load.untilHealthy(restartedAt));
  }
  const { cut, unavailable } = await load.stop();
  await service.stop();
  const details = `${cut} connections that the process had not accepted when it closed its listener were reset`;
  await recordLoad(`SIGTERM and restart, ${STOPS} times`, load, { DATABASE_URL }, { recoveryMs, details });
  expect(unavailable).toBe(0);
});

test('on SIGTERM under load a hanging request ends at the deadline, and all others are answered', async () => {
  const { DATABASE_URL, key } = await createStore(postgres.server);
  const service = await startServiceProcess({ DATABASE_URL, SHUTDOWN_TIMEOUT_MS: '3000' });
  const load = Load.start(
    { url: service.url, key },
    { answerWithinMs: ANSWER_WITHIN_MS, mayCut: neverTaken },
  );
  await load.untilSucceeded(200);
  const hanging = (await Connection.to(service.url)).write(...requestTo('/v1/pets'));
  await stop(service);
  expect(hanging.received()).toBe('');
  await recordLoad('SIGTERM with a request that hangs', load, { DATABASE_URL });
});
