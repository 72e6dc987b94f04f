import { readFileSync } from 'node:fs';

import { createKey } from '../../../support/key.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { type ListeningProcess, startServiceProcess } from '../../../support/process.ts';
import { query } from '../../../support/query.ts';

/** A process of the service with a separate PostgreSQL and a key. */
export interface Besieged extends ListeningProcess {
  key: string;
  /** A key of another account. */
  otherKey: string;
  databaseUrl: string;
  postgresVersion: string;
  /** Stops the service and the database in any state. */
  remove(): Promise<void>;
}

/** Starts the service to attack. Durability does not matter here, so the database does not wait for the disk. */
export async function startBesieged(environment: NodeJS.ProcessEnv = {}, argv?: string[]): Promise<Besieged> {
  const ends: (() => Promise<void>)[] = [];
  const remove = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const postgres = await startPostgres(['fsync = off']);
    ends.push(() => postgres.remove());
    const key = await createKey({ DATABASE_URL: postgres.url }, 'besieged');
    const otherKey = await createKey({ DATABASE_URL: postgres.url }, 'neighbour');
    const [row] = await query<{ server_version: string }>(postgres.url, 'SHOW server_version');
    const open = { SIGNUP: 'open', SIGNUP_LIMIT_PER_HOUR: '1000000', KEY_LIMIT_PER_HOUR: '1000000' };
    const service = await startServiceProcess(
      { DATABASE_URL: postgres.url, ...open, ...environment },
      (end) => ends.push(end),
      argv,
    );
    const postgresVersion = row?.server_version.split(' ')[0] ?? 'of an unknown version';
    return { ...service, key, otherKey, databaseUrl: postgres.url, postgresVersion, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the resident memory of a process in MiB, as the kernel reports it. */
export function residentMebibytes(pid: number): number {
  const [, kibibytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}
