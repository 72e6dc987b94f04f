import { existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { findBinaries, type Postgres, startPostgres } from './postgres.ts';
import { query } from './query.ts';

const SETTINGS = [
  `shared_preload_libraries = 'citus'`,
  'citus.recover_2pc_interval = 1s',
  'max_connections = 300',
  // Each database has a maintenance process.
  'max_worker_processes = 100',
];

/** Instructions for machines without the extension. */
export const INSTALLATION =
  'The extension citus is not installed for the PostgreSQL of this machine. Install the package of Citus for its ' +
  'version (https://docs.citusdata.com), or build it: clone https://github.com/citusdata/citus, then ./configure, ' +
  'make and make install.';

/** A coordinator and two workers on 127.0.0.1. */
export interface Citus {
  readonly coordinator: Postgres;
  readonly workers: readonly [Postgres, Postgres];
  remove(): Promise<void>;
}

/**
 * Starts a coordinator and two workers, each with an empty database `postgres` in which they know each other.
 *
 * @param settings lines of postgresql.conf, such as `fsync = off`
 */
export async function startCitus(settings: string[] = []): Promise<Citus> {
  if (!citusIsInstalled()) throw new Error(INSTALLATION);
  const servers: Postgres[] = [];
  const remove = async () => {
    await Promise.all(servers.map((server) => server.remove()));
  };
  try {
    for (let count = 0; count < 3; count++) servers.push(await startPostgres([...SETTINGS, ...settings]));
    const [coordinator, ...workers] = servers as [Postgres, Postgres, Postgres];
    await connectNodes(
      coordinator.url,
      workers.map(({ url }) => url),
    );
    return { coordinator, workers, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Creates the extension in a database of the coordinator and in those of the workers, and adds the nodes to it. */
export async function connectNodes(coordinatorUrl: string, workerUrls: readonly string[]): Promise<void> {
  for (const url of [coordinatorUrl, ...workerUrls]) await query(url, 'CREATE EXTENSION citus');
  await query(
    coordinatorUrl,
    `SELECT citus_set_coordinator_host('127.0.0.1', ${new URL(coordinatorUrl).port})`,
  );
  for (const url of workerUrls) {
    await query(coordinatorUrl, `SELECT citus_add_node('127.0.0.1', ${new URL(url).port})`);
  }
}

/**
 * Makes a database a template: clients and the maintenance process of Citus can no longer connect to it.
 */
export async function closeToConnections(serverUrls: readonly string[], database: string): Promise<void> {
  for (const url of serverUrls) {
    await query(url, `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
    await query(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`);
  }
}

/** Whether PostgreSQL has the extension. */
export function citusIsInstalled(): boolean {
  try {
    const directory = execFileSync(join(findBinaries(), 'pg_config'), ['--sharedir'], { encoding: 'utf8' });
    return existsSync(join(directory.trim(), 'extension', 'citus.control'));
  } catch {
    return false;
  }
}
