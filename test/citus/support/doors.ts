import { startCitus } from '../../support/citus.ts';
import { Client } from '../../support/client.ts';
import type { Postgres } from '../../support/postgres.ts';
import { type ListeningProcess, startServiceProcess } from '../../support/process.ts';
import { prepareDistributedStore } from './store.ts';

/** A process of the service that is connected to a worker, and a client of it. */
export interface Door extends ListeningProcess {
  client: Client;
}

/** Starts Citus with a distributed store, and a process of the service on each of the two workers. */
export async function openDoors(
  atEnd: (work: () => Promise<void>) => void,
  environment: NodeJS.ProcessEnv = {},
) {
  const citus = await startCitus();
  atEnd(() => citus.remove());
  const coordinatorUrl = citus.coordinator.url;
  const key = await prepareDistributedStore(coordinatorUrl);
  const open = async ({ url: DATABASE_URL }: Postgres): Promise<Door> => {
    const service = await startServiceProcess({ ...environment, DATABASE_URL }, atEnd);
    return { ...service, client: await Client.of(service.url, key) };
  };
  const [first, second] = citus.workers;
  return { citus, coordinatorUrl, key, open, doors: [await open(first), await open(second)] as const };
}
