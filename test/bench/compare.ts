import type { Postgres } from '../support/postgres.ts';
import { assertAgreement } from './agreement.ts';
import { type Cores, coresCanBeChosen, useCores } from './cores.ts';
import { fillStore, resetStore, withClient } from './database.ts';
import { load, type Measurement } from './load.ts';
import type { Comparison, Series } from './results.ts';
import { type Scenario, SCENARIOS } from './scenarios.ts';
import { PETSTORE, Server, type ServerKind, SERVERS } from './servers.ts';

/** The extent of the measurements. */
export interface Extent {
  rounds: number;
  seconds: number;
  /** The time for which each server is warmed up before each scenario and before each of its loads. */
  warmUpSeconds: number;
  scenarios: readonly string[];
  connections: readonly number[];
  servers: readonly string[];
}

/** A number of connections that saturates each server. */
const WARM_UP_CONNECTIONS = 64;

/** The factor for the rounds at one connection on all cores, because they vary by up to a half. */
const ROUNDS_ALONE = 3;

/** Measures the service and its peers side by side, on the same data of one PostgreSQL. */
export async function compare(postgres: Postgres, extent: Extent): Promise<Comparison> {
  const store = await fillStore({ DATABASE_URL: postgres.url });
  return withClient(postgres.url, async (database) => {
    // Stock TypeORM lets the database generate UUIDs.
    await database.query('ALTER TABLE message ALTER id SET DEFAULT gen_random_uuid()');
    const servers: Server[] = [];
    const start = async (kind: ServerKind, more?: Record<string, string>) => {
      console.log(`starting ${kind.title}`);
      const server = await Server.start(kind, store, more);
      servers.push(server);
      return server;
    };
    try {
      const petstore = await start(PETSTORE);
      const listBody = await (
        await fetch(`${petstore.url}/v1/pets?limit=20`, { headers: petstore.headers })
      ).text();
      for (const kind of SERVERS) {
        if (kind !== PETSTORE && extent.servers.includes(kind.name))
          await start(kind, { LIST_BODY: listBody, API_KEY: store.key });
      }
      await assertAgreement(servers);
      const processes = [postgres.pid(), ...servers.map(({ pid }) => pid)];
      const place = (cores: Cores) => useCores(cores, processes);
      const series: Series[] = [];
      for (const scenario of SCENARIOS.filter(({ name }) => extent.scenarios.includes(name))) {
        const reset = () => (scenario.writes ? resetStore(database) : undefined);
        const takers = servers.filter(({ kind }) => kind.scenarios?.includes(scenario.name) ?? true);
        await resetStore(database);
        series.push(...(await measure(scenario, takers, extent, { reset, place })));
      }
      const { rounds, seconds } = extent;
      return { rounds, seconds, series };
    } finally {
      for (const server of servers) await server.stop();
    }
  });
}

/** Loads each server once in each round. The first server changes from round to round. */
async function measure(
  scenario: Scenario,
  servers: Server[],
  extent: Extent,
  { reset, place }: { reset: () => Promise<void> | undefined; place: (cores: Cores) => void },
): Promise<Series[]> {
  const { seconds, warmUpSeconds } = extent;
  const all: Series[] = [];
  const warmUp = async (connections: number) => {
    for (const server of warmUpSeconds > 0 ? servers : []) {
      await load(server, scenario.requests, { connections, seconds: warmUpSeconds });
      await reset();
    }
  };
  // At one connection, it takes half a minute until V8 has compiled all code on the path of a request.
  await warmUp(WARM_UP_CONNECTIONS);
  for (const { connections, cores, rounds } of settingsOf(extent)) {
    place(cores);
    // One connection uses other code paths than many connections.
    if (connections !== WARM_UP_CONNECTIONS) await warmUp(connections);
    const runs = servers.map((server) => {
      const series = emptySeries(scenario.name, connections, cores, server.kind.name);
      return { server, series };
    });
    for (let round = 0; round < rounds; round++) {
      const first = round % runs.length;
      for (const { server, series } of [...runs.slice(first), ...runs.slice(0, first)]) {
        append(series, await load(server, scenario.requests, { connections, seconds }));
        await reset();
      }
    }
    console.log(`${scenario.title} at ${connections} connections, cores: ${cores}, rounds: ${rounds}`);
    all.push(...runs.map(({ series }) => series));
    place('all');
  }
  return all;
}

/** A load and the way to measure it. */
interface Setting {
  connections: number;
  cores: Cores;
  rounds: number;
}

/**
 * Returns the settings for each number of connections. One connection is also measured on one core: on several cores, the
 * time to wake a sleeping core can exceed that of a request, and depends on the kernel rather than on the servers.
 */
function settingsOf({ connections: loads, rounds }: Extent): Setting[] {
  return loads.flatMap((connections): Setting[] => {
    if (connections > 1) return [{ connections, cores: 'all', rounds }];
    const onAll: Setting = { connections, cores: 'all', rounds: rounds * ROUNDS_ALONE };
    return coresCanBeChosen ? [onAll, { connections, cores: 'one', rounds }] : [onAll];
  });
}

function emptySeries(scenario: string, connections: number, cores: Cores, server: string): Series {
  return {
    scenario,
    connections,
    cores,
    server,
    requestsPerSecond: [],
    p50: [],
    p99: [],
    cpu: [],
    allocated: [],
    pause: [],
  };
}

function append(series: Series, measured: Measurement): void {
  for (const [key, value] of Object.entries(measured)) series[key as keyof Measurement].push(value as number);
}
