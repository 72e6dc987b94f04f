import { fillStore } from '../../bench/database.ts';
import { load } from '../../bench/load.ts';
import type { Request } from '../../bench/scenarios.ts';
import { PETSTORE, Server } from '../../bench/servers.ts';
import { quick, rounds } from '../../faults/support/mode.ts';
import { type Citus, connectNodes } from '../../support/citus.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { childrenOf, cpuMs } from '../../support/proc.ts';
import { query } from '../../support/query.ts';
import { median } from '../../support/statistics.ts';
import { petsByWorker, prepareDistributedStore, SHARD_COUNT } from './store.ts';

const ANIMALS = 20_000;
const SEED = `
  INSERT INTO pet (name, category_id)
  SELECT 'Animal ' || number, number % 20 FROM generate_series(1, ${ANIMALS}) AS number`;
export const CONNECTIONS = 64;
export const MORE_SHARDS = 32;

/** The settings of all servers that are compared. */
export const SETTINGS = ['shared_buffers = 256MB', 'max_wal_size = 4GB'];
const SECONDS = quick ? 1 : 2;
const ROUNDS = rounds(2, 1);

/** The rate of a kind of request on a store, and the CPU time per request. */
export interface Cost {
  requestsPerSecond: number;
  /** Microseconds per request. The servers are in the order of {@link Store}. */
  service: number;
  servers: number[];
}

/** The costs of a kind of request: on a single PostgreSQL, and on Citus by the coordinator and by a worker. */
export interface Costs {
  what: string;
  postgres: Cost;
  byCoordinator: Cost;
  byWorker: Cost;
}

/** The costs by the coordinator and by a worker, with {@link SHARD_COUNT} and with {@link MORE_SHARDS} shards per table. */
export interface Rates {
  what: string;
  few: Cost[];
  many: Cost[];
}

/** A process of the service, and the database servers of its store. */
interface Store {
  server: Server;
  servers: readonly Postgres[];
}

const get = (path: string): Request => ({ method: 'GET', path });
const post = (path: string, body: object): Request => ({ method: 'POST', path, body: JSON.stringify(body) });

/** Ids of animals, spread over all of them. */
const IDS = Array.from({ length: 400 }, (_, index) => 1 + ((index * 7919) % (ANIMALS - 200)));

const KINDS: { what: string; requests: Request[]; isKeyed?: boolean }[] = [
  { what: 'create', requests: [post('/v1/pets', { name: 'Kitty Cat', categoryId: 2 })] },
  { what: 'get', requests: IDS.map((id) => get(`/v1/pets/${id}`)) },
  { what: 'first page', requests: [get('/v1/pets?limit=20')] },
  { what: 'deep page', requests: IDS.map((id) => get(`/v1/pets?limit=20&after=${id}`)) },
  { what: 'order', requests: IDS.map((id) => post('/v1/store/orders', { petId: id })) },
  { what: 'keyed order', requests: [post('/v1/store/orders', { petId: 1 })], isKeyed: true },
  { what: 'message', requests: [post('/v1/messages', { message: 'The cat is ready to be picked up.' })] },
];

/** Loads the service on each store in turn. All of it runs on this machine. */
export async function measureOn(citus: Citus): Promise<{ costs: Costs[]; shards: Rates[] }> {
  const postgres = await startPostgres(SETTINGS);
  const stores: Store[] = [];
  const [entry, other] = citus.workers;
  try {
    const single = await fillStore({ DATABASE_URL: postgres.url }, SEED);
    stores.push({ server: await Server.start(PETSTORE, single), servers: [postgres] });
    for (const [database, shardCount] of [
      ['postgres', SHARD_COUNT],
      ['more_shards', MORE_SHARDS],
    ] as const) {
      const urlOf = ({ url }: Postgres) => new URL(`/${database}`, url).href;
      const nodes = [citus.coordinator, ...citus.workers];
      if (database !== 'postgres') {
        for (const { url } of nodes) await query(url, `CREATE DATABASE ${database}`);
        await connectNodes(urlOf(citus.coordinator), citus.workers.map(urlOf));
      }
      await prepareDistributedStore(urlOf(citus.coordinator), shardCount);
      const { key } = await fillStore({ DATABASE_URL: urlOf(citus.coordinator) }, SEED);
      for (const node of [citus.coordinator, entry]) {
        const server = await Server.start(PETSTORE, { environment: { DATABASE_URL: urlOf(node) }, key });
        stores.push({ server, servers: nodes });
      }
    }
    // On many workers, nearly all rows are on another one than that by which a request enters.
    const ids = await petsByWorker(citus.coordinator.url);
    const getsOn = ({ url }: Postgres) =>
      (ids.get(new URL(url).port) ?? []).map((id) => get(`/v1/pets/${id}`));
    const kinds = [
      ...KINDS,
      { what: 'get from the entered worker', requests: getsOn(entry) },
      { what: 'get from the other worker', requests: getsOn(other) },
    ];
    const measured: { costs: Costs[]; shards: Rates[] } = { costs: [], shards: [] };
    for (const { what, ...kind } of kinds) {
      const compared = /^get$|page/.test(what) ? stores : stores.slice(0, 3);
      const runs: Cost[][] = compared.map(() => []);
      // The first statements open connections between the nodes and are planned for each shard.
      for (const { server } of compared) {
        await load(server, kind.requests, { connections: 4, seconds: 1, isKeyed: kind.isKeyed ?? false });
      }
      for (let round = 0; round < ROUNDS; round++) {
        for (const [index, store] of compared.entries()) runs[index]?.push(await measure(store, kind));
      }
      const [first, second, third, ...more] = runs.map(medianOf) as [Cost, Cost, Cost];
      measured.costs.push({ what, postgres: first, byCoordinator: second, byWorker: third });
      const [fourth, fifth] = more as Cost[];
      if (fourth && fifth) measured.shards.push({ what, few: [second, third], many: [fourth, fifth] });
    }
    return measured;
  } finally {
    await Promise.all(stores.map(({ server }) => server.stop()));
    await postgres.remove();
  }
}

async function measure(
  { server, servers }: Store,
  { requests, isKeyed = false }: { requests: Request[]; isKeyed?: boolean },
): Promise<Cost> {
  const before = servers.map(cpuMsOf);
  const options = { connections: CONNECTIONS, seconds: SECONDS, isKeyed };
  const { requestsPerSecond, cpu } = await load(server, requests, options);
  const count = requestsPerSecond * SECONDS;
  return {
    requestsPerSecond,
    service: cpu * 1000,
    servers: servers.map((each, index) => ((cpuMsOf(each) - (before[index] ?? 0)) / count) * 1000),
  };
}

function medianOf(costs: Cost[]): Cost {
  return {
    requestsPerSecond: median(costs.map(({ requestsPerSecond }) => requestsPerSecond)),
    service: median(costs.map(({ service }) => service)),
    servers: (costs[0]?.servers ?? []).map((_, index) =>
      median(costs.map(({ servers }) => servers[index] ?? 0)),
    ),
  };
}

/** Returns the CPU time of a server, its present processes and those that have ended. */
function cpuMsOf(server: Postgres): number {
  return [server.pid(), ...childrenOf(server.pid())].reduce((sum, pid) => sum + cpuMs(pid), 0);
}
