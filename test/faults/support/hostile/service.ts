import { createKey } from '../../../support/key.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { type ListeningProcess, startServiceProcess } from '../../../support/process.ts';

/** A process of the service with a separate PostgreSQL and a key. */
export interface Besieged extends ListeningProcess {
  key: string;
  databaseUrl: string;
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
    const limits = { SIGNUP: 'open', SIGNUP_LIMIT_PER_HOUR: '1000000', KEY_LIMIT_PER_HOUR: '1000000' };
    const service = await startServiceProcess(
      { DATABASE_URL: postgres.url, ...limits, ...environment },
      (end) => ends.push(end),
      argv,
    );
    return { ...service, key, databaseUrl: postgres.url, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
