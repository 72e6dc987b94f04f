import { load } from './load.ts';
import { fillStore } from './database.ts';
import type { Memory } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { PETSTORE, Server } from './servers.ts';

/** The loads of a start, in their order. */
const LOADS = [
  { scenario: 'create', connections: 64 },
  { scenario: 'get', connections: 64 },
  { scenario: 'get', connections: 1 },
  { scenario: 'list', connections: 64 },
  { scenario: 'list', connections: 256 },
];

/** Measures the memory of the service after a series of loads, in several starts. V8 may manage it differently in each. */
export async function measureMemory(databaseUrl: string, starts: number, seconds: number): Promise<Memory> {
  const store = await fillStore({ DATABASE_URL: databaseUrl });
  const mebibytes: number[] = [];
  for (let start = 0; start < starts; start++) {
    const server = await Server.start(PETSTORE, store);
    try {
      for (const { scenario, connections } of LOADS) {
        const { requests = [] } = SCENARIOS.find(({ name }) => name === scenario) ?? {};
        await load(server, requests, { connections, seconds });
      }
      mebibytes.push(server.memoryMiB());
    } finally {
      await server.stop();
    }
  }
  console.log(`memory in ${starts} starts`);
  return { mebibytes };
}
