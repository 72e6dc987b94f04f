import { setTimeout as sleep } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { childrenOf } from '../cluster/support/programs.ts';
import { Load } from '../faults/support/load.ts';
import { rounds } from '../faults/support/mode.ts';
import { readBack } from '../faults/support/store.ts';
import { query } from '../support/query.ts';
import { signal } from '../support/signal.ts';
import { openDoors } from './support/doors.ts';
import { countPrepared, petsByWorker } from './support/store.ts';

const HANG_MS = rounds(30_000, 15_000);

/** By then, the statements that have waited for the node have timed out, and further ones are refused at once. */
const KNOWN_WITHIN_MS = 7000;

/** The timeout of statements and the grace of the service, the wait for a turn, and the rest for a slow machine. */
const ANSWER_WITHIN_MS = 5000 + 500 + 2000 + 2500;

test('a worker that hangs costs the requests for its own rows, and no others, as soon as that is known', async () => {
  const { citus, coordinatorUrl: DATABASE_URL, key, doors } = await openDoors(onTestFinished);
  const [{ url, client, stop }] = doors;
  const [near, far] = citus.workers;
  const options = { answerWithinMs: ANSWER_WITHIN_MS, clients: 32, isKeyed: true };
  const load = Load.start({ url, key }, options);
  await load.untilSucceeded(300);
  const ids = await petsByWorker(DATABASE_URL);
  const idsOn = (worker: { url: string }) => ids.get(new URL(worker.url).port) ?? [];
  const hung = [far.pid(), ...childrenOf(far.pid())];
  onTestFinished(() => signal(hung, 'SIGCONT'));
  signal(hung, 'SIGSTOP');
  const startedAt = performance.now();
  await sleep(KNOWN_WITHIN_MS);
  const statuses = { near: [] as number[], far: [] as number[] };
  for (let turn = 0; performance.now() - startedAt < HANG_MS; turn++) {
    const get = async (id: string | undefined) => (await client.get(`/v1/pets/${id}`)).status;
    statuses.near.push(await get(idsOn(near)[turn % idsOn(near).length]));
    statuses.far.push(await get(idsOn(far)[turn % idsOn(far).length]));
    await sleep(100);
  }
  const [backends] = await query<{ count: number }>(
    near.url,
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'petstore'`,
  );
  signal(hung, 'SIGCONT');
  const recoveryMs = await load.untilHealthy(performance.now());
  const ledger = await load.stop();
  await expect.poll(() => countPrepared(citus), { timeout: 60_000 }).toBe(0);
  expect(await stop()).toMatchObject({ code: 0, stderr: '' });
  const { requests, unavailable, slowestMs } = ledger;
  console.log({ requests, unavailable, slowestMs, recoveryMs, ...backends, gets: statuses.near.length });
  expect(new Set(statuses.far)).toEqual(new Set([503]));
  // A busy machine may shed some of them.
  const failed = statuses.near.filter((status) => status !== 200);
  expect(failed.length / statuses.near.length).toBeLessThan(0.1);
  expect(ledger.judge(await readBack({ DATABASE_URL }))).toEqual({ lost: 0, wrong: 0, examples: [] });
});
