import { fillStore } from '../../bench/database.ts';
import { load } from '../../bench/load.ts';
import type { Request } from '../../bench/scenarios.ts';
import { PETSTORE, Server } from '../../bench/servers.ts';
import { median } from '../../bench/statistics.ts';
import { quick, rounds } from '../../faults/support/mode.ts';
import { startCitus } from '../../support/citus.ts';
import { startPostgres } from '../../support/postgres.ts';
import { prepareDistributedStore } from './store.ts';

const ANIMALS = 20_000;
const SEED = `
  INSERT INTO pet (name, category_id)
  SELECT 'Animal ' || number, number % 20 FROM generate_series(1, ${ANIMALS}) AS number`;
const CONNECTIONS = 64;
const SECONDS = quick ? 1 : 3;
const ROUNDS = rounds(3, 1);

/** Requests per second of the service: on a single PostgreSQL, and on a coordinator and two workers. */
export interface Cost {
  what: string;
  postgres: number;
  citus: number;
}

const get = (path: string): Request => ({ method: 'GET', path });
const post = (path: string, body: object): Request => ({ method: 'POST', path, body: JSON.stringify(body) });

/** Ids of animals, spread over all of them. */
const IDS = Array.from({ length: 400 }, (_, index) => 1 + ((index * 7919) % (ANIMALS - 200)));

const KINDS: { what: string; requests: Request[] }[] = [
  { what: 'create', requests: [post('/v1/pets', { name: 'Kitty Cat', categoryId: 2 })] },
  { what: 'first page', requests: [get('/v1/pets?limit=20')] },
  { what: 'random pages', requests: IDS.map((id) => get(`/v1/pets?limit=20&after=${id}`)) },
  { what: 'get by id', requests: IDS.map((id) => get(`/v1/pets/${id}`)) },
  { what: 'order', requests: IDS.map((id) => post('/v1/store/orders', { petId: id })) },
  { what: 'message', requests: [post('/v1/messages', { message: 'The cat is ready to be picked up.' })] },
];

/** Loads the service on both in turn. All of it runs on this machine. */
export async function measureCosts(): Promise<Cost[]> {
  const settings = ['shared_buffers = 256MB', 'max_wal_size = 4GB'];
  const postgres = await startPostgres(settings);
  const citus = await startCitus(settings);
  const servers: Server[] = [];
  try {
    servers.push(await startServer(postgres.url));
    await prepareDistributedStore(citus.coordinator.url);
    servers.push(await startServer(citus.coordinator.url));
    const costs: Cost[] = [];
    for (const { what, requests } of KINDS) {
      const rates: number[][] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        for (const [index, server] of servers.entries()) {
          const { requestsPerSecond } = await load(server, requests, {
            connections: CONNECTIONS,
            seconds: SECONDS,
          });
          rates[index]?.push(requestsPerSecond);
        }
      }
      costs.push({ what, postgres: median(rates[0] ?? []), citus: median(rates[1] ?? []) });
    }
    return costs;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await citus.remove();
    await postgres.remove();
  }
}

async function startServer(databaseUrl: string): Promise<Server> {
  return Server.start(PETSTORE, await fillStore({ DATABASE_URL: databaseUrl }, SEED));
}
