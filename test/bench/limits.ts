import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAnimals, startOnEmpty } from './database.ts';
import { load } from './load.ts';
import type { LimitedStart } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { PETSTORE, type Server } from './servers.ts';

/** The limit of a container that docs/operations.md recommends for the embedded database, and one that is too low. */
export const RECOMMENDED_MIB = 1536;
const LIMITS_MIB = [RECOMMENDED_MIB, 1024];

const MIB = 1024 ** 2;

/** The control groups of Linux for memory, in version 1 or 2. In both, `swap` leaves the group without swap. */
const GROUPS = existsSync('/sys/fs/cgroup/memory')
  ? {
      root: '/sys/fs/cgroup/memory',
      limit: 'memory.limit_in_bytes',
      swap: (limit: number) => ['memory.memsw.limit_in_bytes', limit] as const,
      peak: 'memory.max_usage_in_bytes',
      events: 'memory.oom_control',
    }
  : {
      root: '/sys/fs/cgroup',
      limit: 'memory.max',
      swap: () => ['memory.swap.max', 0] as const,
      peak: 'memory.peak',
      events: 'memory.events',
    };

/**
 * Starts the service for the first time on the embedded database in control groups with limits of memory: creates, then
 * gets. Returns the reason why not if it cannot create a group, which requires Linux and root.
 */
export async function measureLimits(seconds: number): Promise<LimitedStart[] | string> {
  const measured: LimitedStart[] = [];
  for (const limitMiB of LIMITS_MIB) {
    const group = join(GROUPS.root, `petstore-bench-${process.pid}`);
    try {
      mkdirSync(group);
      writeFileSync(join(group, GROUPS.limit), String(limitMiB * MIB));
      const [file, swap] = GROUPS.swap(limitMiB * MIB);
      writeFileSync(join(group, file), String(swap));
      // Linux has it since 5.19 in version 2.
      readFileSync(join(group, GROUPS.peak));
    } catch (error) {
      if (existsSync(group)) rmdirSync(group);
      return String(error);
    }
    try {
      measured.push({ limitMiB, ...(await startIn(group, seconds)) });
      console.log(JSON.stringify(measured.at(-1)));
    } finally {
      rmdirSync(group);
    }
  }
  return measured;
}

async function startIn(group: string, seconds: number): Promise<Omit<LimitedStart, 'limitMiB'>> {
  const read = (file: string) => readFileSync(join(group, file), 'utf8');
  const isKilled = () => /^oom_kill [1-9]/m.test(read(GROUPS.events));
  const enter = ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group];
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  let server: Server | undefined;
  try {
    const kind = { ...PETSTORE, command: () => [...enter, ...PETSTORE.command()] };
    server = await startOnEmpty({ DATA_DIR: directory }, kind);
    await createAnimals(server);
    const gets = SCENARIOS.find(({ name }) => name === 'get')?.requests ?? [];
    await load(server, gets, { connections: 64, seconds });
  } catch (error) {
    if (!isKilled()) throw error;
  } finally {
    await server?.stop();
    rmSync(directory, { recursive: true });
  }
  return { isKilled: isKilled(), peakMiB: Number(read(GROUPS.peak)) / MIB };
}
