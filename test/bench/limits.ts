import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAnimals, createKey, type Store } from './database.ts';
import { load } from './load.ts';
import type { LimitedStart } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { PETSTORE, Server } from './servers.ts';

/** The limits of a container that docs/operations.md recommends for the embedded database. */
const LIMITS_MIB = { 'first start': 640, 'later start': 512 };

const MIB = 1024 ** 2;

/** The control groups of Linux for memory, in version 1 or 2. In both, `swap` leaves the group without swap. */
const GROUPS = existsSync('/sys/fs/cgroup/memory')
  ? {
      root: '/sys/fs/cgroup/memory',
      limit: 'memory.limit_in_bytes',
      swap: (limit: number) => ['memory.memsw.limit_in_bytes', limit] as const,
      events: 'memory.oom_control',
    }
  : {
      root: '/sys/fs/cgroup',
      limit: 'memory.max',
      swap: () => ['memory.swap.max', 0] as const,
      events: 'memory.events',
    };

/**
 * Starts the service on the embedded database in control groups with limits of memory: for the first time, and again on
 * the same files. Each start serves creates and then all scenarios. Returns the reason why not if it cannot create a
 * group, which requires Linux and root.
 */
export async function measureLimits(seconds: number): Promise<LimitedStart[] | string> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  const store: Store = { environment: { DATA_DIR: directory }, key: '' };
  const measured: LimitedStart[] = [];
  try {
    for (const [start, limitMiB] of Object.entries(LIMITS_MIB)) {
      const group = join(GROUPS.root, `petstore-bench-${process.pid}`);
      try {
        mkdirSync(group);
        writeFileSync(join(group, GROUPS.limit), String(limitMiB * MIB));
        const [file, swap] = GROUPS.swap(limitMiB * MIB);
        writeFileSync(join(group, file), String(swap));
      } catch (error) {
        if (existsSync(group)) rmdirSync(group);
        return String(error);
      }
      try {
        measured.push({ start, limitMiB, ...(await startIn(group, store, seconds)) });
        console.log(JSON.stringify(measured.at(-1)));
      } finally {
        rmdirSync(group);
      }
    }
    return measured;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function startIn(
  group: string,
  store: Store,
  seconds: number,
): Promise<Omit<LimitedStart, 'start' | 'limitMiB'>> {
  const isKilled = () => /^oom_kill [1-9]/m.test(readFileSync(join(group, GROUPS.events), 'utf8'));
  const enter = ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group];
  const kind = { ...PETSTORE, command: () => [...enter, ...PETSTORE.command()] };
  const measured: Pick<LimitedStart, 'readyCpuMs' | 'peakMiB' | 'loadedMiB'> = {
    readyCpuMs: null,
    peakMiB: null,
    loadedMiB: null,
  };
  let server: Server | undefined;
  try {
    server = await Server.start(kind, store);
    Object.assign(measured, { readyCpuMs: server.cpuMs(), peakMiB: server.peakMiB() });
    store.key ||= await createKey(server);
    server.key = store.key;
    await createAnimals(server);
    for (const { requests } of SCENARIOS) await load(server, requests, { connections: 64, seconds });
    measured.loadedMiB = server.memoryMiB();
  } catch (error) {
    if (!isKilled()) throw error;
  } finally {
    await server?.stop();
  }
  return { isKilled: isKilled(), ...measured };
}
