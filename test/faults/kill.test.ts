import { expect, test } from 'vitest';

import { createDatabaseForTest } from '../support/database.ts';
import { createKey } from '../support/key.ts';
import { freePort } from '../support/postgres.ts';
import { startServiceProcess } from '../support/process.ts';
import { Load } from './support/load.ts';
import { rounds } from './support/mode.ts';
import { recordLoad } from './support/results.ts';
import { createStore, readBack, type StoreEnvironment, usePostgres } from './support/store.ts';

const postgres = usePostgres();

const KILLS = rounds(10, 1);

/** Kills the service repeatedly under load, and checks each time that the acknowledged writes are stored. */
async function killRepeatedly(name: string, environment: StoreEnvironment, key: string): Promise<void> {
  const port = await freePort();
  const start = () => startServiceProcess({ ...environment, PORT: String(port) });
  let service = await start();
  const load = Load.start({ url: service.url, key }, { answerWithinMs: 60_000, mayCut: () => true });
  let recoveryMs = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await load.untilSucceeded(500);
    expect(await service.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    expect(load.ledger.judge(await readBack(environment))).toEqual({ lost: 0, wrong: 0, examples: [] });
    const restartedAt = performance.now();
    service = await start();
    recoveryMs = Math.max(recoveryMs, await load.untilHealthy(restartedAt));
  }
  await load.stop();
  await service.stop();
  await recordLoad(`kill -9 of the service on ${name}, ${KILLS} times`, load, environment, { recoveryMs });
}

test('on PostgreSQL, writes that were acknowledged before a kill -9 are there after the restart', async () => {
  const { key, ...environment } = await createStore(postgres.server);
  await killRepeatedly('PostgreSQL', environment, key);
});

test('on PGlite, writes that were acknowledged before a kill -9 are there after the restart', async () => {
  const environment = (await createDatabaseForTest()).environment as { DATA_DIR: string };
  await killRepeatedly('PGlite', environment, await createKey(environment));
});
