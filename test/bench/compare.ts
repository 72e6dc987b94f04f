import type { Postgres } from '../support/postgres.ts';
import { assertAgreement } from './agreement.ts';
import { type Cores, coresCanBeChosen, useCores } from './cores.ts';
import { createAnimals, createDatabase, resetStore, startOnEmpty, withClient } from './database.ts';
import { load, type Measurement } from './load.ts';
import type { Comparison, Series } from './results.ts';
import { type Scenario, SCENARIOS } from './scenarios.ts';
import { PETSTORE, Server, SERVERS } from './servers.ts';

/** The extent of the measurements. */
export interface Extent {
  starts: number;
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

/**
 * Measures the service and its peers side by side, on the same data. Each start has a new database, which the service
 * migrates and fills, and new servers.
 */
export async function compare(postgres: Postgres, extent: Extent): Promise<Comparison> {
  const { starts, rounds, seconds } = extent;
  const series: Series[] = [];
  for (let start = 0; start < starts; start++) {
    const url = await withClient(postgres.url, (client) =>
      createDatabase(client, postgres.url, `comparison_${start}`),
    );
    for (const one of await compareOnce(postgres, url, extent)) {
      const known = series.find((other) => isSameLoad(one, other));
      if (known) append(known, one);
      else series.push(one);
    }
  }
  return { starts, rounds, seconds, series };
}

const isSameLoad = (one: Series, other: Series) =>
  (['scenario', 'connections', 'cores', 'server'] as const).every((key) => one[key] === other[key]);

async function compareOnce(postgres: Postgres, databaseUrl: string, extent: Extent): Promise<Series[]> {
  return withClient(databaseUrl, async (database) => {
    const servers: Server[] = [];
    try {
      const environment = { DATABASE_URL: databaseUrl };
      const petstore = await startOnEmpty(environment);
      servers.push(petstore);
      await createAnimals(petstore);
      const { url, headers, key } = petstore;
      const listBody = await (await fetch(`${url}/v1/pets?limit=20`, { headers })).text();
      for (const kind of SERVERS) {
        if (kind === PETSTORE || !extent.servers.includes(kind.name)) continue;
        servers.push(await Server.start(kind, { environment, key }, { LIST_BODY: listBody, API_KEY: key }));
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
      return series;
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
  for (const { connections, cores, rounds } of settingsOf(extent, scenario)) {
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
 * Returns the settings of a scenario for each number of connections. One connection is also measured on one core: on
 * several cores, the time to wake a sleeping core can exceed that of a request, and depends on the kernel rather than on
 * the servers.
 */
function settingsOf({ connections: loads, rounds }: Extent, { alone }: Scenario): Setting[] {
  return loads.flatMap((connections): Setting[] => {
    if (connections > 1) return [{ connections, cores: 'all', rounds }];
    if (!alone) return [];
    const onAll: Setting = { connections, cores: 'all', rounds };
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
  };
}

function append(series: Series, measured: { [Key in keyof Measurement]: number | number[] }): void {
  for (const key of ['requestsPerSecond', 'p50', 'p99', 'cpu'] as const) {
    series[key].push(...[measured[key]].flat());
  }
}
