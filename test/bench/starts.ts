import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAnimals, createDatabase, startOnEmpty, type Store } from './database.ts';
import { load } from './load.ts';
import type { Start, Starts } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Server } from './servers.ts';

const CONNECTIONS = 64;

/** Each start serves this number of loads of gets before the measured one, so that V8 has compiled the code. */
const WARM_UPS = 3;

/**
 * The number of measured loads of gets. The cheapest counts: what else runs on the machine only makes loads more
 * expensive, and in a bad phase, all of them are.
 */
const LOADS = 3;

/**
 * Starts the service as its users do, on an empty database each time, half of them on PGlite: creates, gets, and then all
 * other loads. V8 may manage the memory differently in each start, which the first burst of requests decides.
 */
export async function measureStarts(postgresUrl: string, starts: number, seconds: number): Promise<Starts> {
  const measured: Start[] = [];
  for (let start = 0; start < starts; start++) {
    const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
    const isEmbedded = start % 2 === 1;
    const environment: Store['environment'] = isEmbedded
      ? { DATA_DIR: directory }
      : { DATABASE_URL: await createDatabase(postgresUrl, `start_${start}`) };
    const server = await startOnEmpty(environment);
    try {
      measured.push({ database: isEmbedded ? 'PGlite' : 'PostgreSQL', ...(await measure(server, seconds)) });
      console.log(JSON.stringify(measured.at(-1)));
    } finally {
      await server.stop();
      rmSync(directory, { recursive: true });
    }
  }
  return { starts: measured };
}

async function measure(server: Server, seconds: number): Promise<Omit<Start, 'database'>> {
  await createAnimals(server);
  const run = (requests: (typeof SCENARIOS)[number]['requests']) =>
    load(server, requests, { connections: CONNECTIONS, seconds });
  const gets = SCENARIOS.find(({ name }) => name === 'get')?.requests ?? [];
  for (let count = 0; count < WARM_UPS; count++) await run(gets);
  const costs: number[] = [];
  for (let count = 0; count < LOADS; count++) costs.push((await run(gets)).cpu);
  const afterGets = server.memoryMiB();
  for (const { requests } of SCENARIOS) await run(requests);
  return { getCpu: Math.min(...costs), afterGets, afterAll: server.memoryMiB(), peak: server.peakMiB() };
}
