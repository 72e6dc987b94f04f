import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fillStore } from './database.ts';
import { measureLimits } from './limits.ts';
import { load } from './load.ts';
import type { Embedded } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { PETSTORE, Server } from './servers.ts';

const CONNECTIONS = 64;

/** Measures the service on the embedded database, which keeps the inserted rows, and its first starts in little memory. */
export async function measureEmbedded(rounds: number, seconds: number): Promise<Embedded> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  try {
    const server = await Server.start(PETSTORE, await fillStore({ DATA_DIR: directory }));
    const requestsPerSecond: Embedded['requestsPerSecond'] = {};
    try {
      for (const { name, requests } of SCENARIOS) {
        const run = async () =>
          (await load(server, requests, { connections: CONNECTIONS, seconds })).requestsPerSecond;
        await run();
        const measured: number[] = [];
        for (let round = 0; round < rounds; round++) measured.push(await run());
        requestsPerSecond[name] = measured;
      }
      console.log(`on PGlite, rounds: ${rounds}`);
    } finally {
      await server.stop();
    }
    return {
      connections: CONNECTIONS,
      requestsPerSecond,
      limitedStarts: await measureLimits(seconds),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
