import { expect, onTestFinished, test } from 'vitest';

import { freePort } from '../support/postgres.ts';
import { startServiceProcess } from '../support/process.ts';
import { query } from '../support/query.ts';
import { Load } from './support/load.ts';
import { rounds } from './support/mode.ts';
import { Proxy } from './support/proxy.ts';
import { recordLoad } from './support/results.ts';
import { createStore, usePostgres } from './support/store.ts';

const postgres = usePostgres();

const ROUNDS = rounds(5, 1);

/** The successes before each fault. */
const CALM = rounds(1000, 300);

async function startProxy(url: string): Promise<Proxy> {
  const proxy = await Proxy.to(url);
  onTestFinished(() => proxy.close());
  return proxy;
}

test('under all faults, a read of a replica contains each animal that any replica acknowledged or showed before', async () => {
  const { DATABASE_URL, key } = await createStore(postgres.server);
  const toDatabase = await startProxy(DATABASE_URL);
  const stable = await startServiceProcess({ DATABASE_URL: toDatabase.rewrite(DATABASE_URL) });
  const PORT = String(await freePort());
  let mortal = await startServiceProcess({ DATABASE_URL, PORT });
  const toMortal = await startProxy(mortal.url);

  const faults: (() => unknown)[] = [
    () =>
      query(
        DATABASE_URL,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'`,
      ),
    () => toDatabase.resetConnections(),
    () => toMortal.resetConnections(),
    async () => {
      await mortal.stop('SIGKILL');
      mortal = await startServiceProcess({ DATABASE_URL, PORT });
    },
  ];
  const load = Load.start(
    { url: stable.url, key },
    {
      answerWithinMs: 60_000,
      maxPauseMs: 10,
      others: [new URL(toMortal.rewrite(mortal.url)).origin],
      mayCut: () => true,
    },
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const fault of faults) {
      await load.untilSucceeded(CALM);
      await fault();
    }
  }
  await load.untilSucceeded(CALM);
  const fault = `linearizability: two replicas; backends, connections and a replica killed, ${ROUNDS} times each`;
  await recordLoad(fault, load, { DATABASE_URL });
  expect(load.ledger.unknown, 'the faults leave outcomes unknown').toBeGreaterThan(0);
});
