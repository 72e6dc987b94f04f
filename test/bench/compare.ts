import { assertAgreement } from './agreement.ts';
import { createAnimals, createDatabase, resetStore, startOnEmpty, withClient } from './database.ts';
import { load, type Measurement } from './load.ts';
import type { Extent } from './options.ts';
import type { Comparison, Series } from './results.ts';
import type { Scenario } from './scenarios.ts';
import { PETSTORE, Server, SERVERS } from './servers.ts';

/** A number of connections that saturates each server. */
const WARM_UP_CONNECTIONS = 64;

/**
 * Measures the service and its peers side by side, on the same data. Each start has a new database, which the service
 * migrates and fills, and new servers.
 */
export async function compare(postgresUrl: string, extent: Extent): Promise<Comparison> {
  const { starts, rounds, seconds } = extent;
  const series: Series[] = [];
  for (let start = 0; start < starts; start++) {
    const url = await createDatabase(postgresUrl, `comparison_${start}`);
    for (const one of await compareOnce(url, extent)) {
      const known = series.find((other) => isSameLoad(one, other));
      if (known) append(known, one);
      else series.push(one);
    }
  }
  return { starts, rounds, seconds, series };
}

const isSameLoad = (one: Series, other: Series) =>
  (['scenario', 'connections', 'server'] as const).every((key) => one[key] === other[key]);

async function compareOnce(databaseUrl: string, extent: Extent): Promise<Series[]> {
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
        if (kind === PETSTORE) continue;
        servers.push(await Server.start(kind, { environment, key }, { LIST_BODY: listBody, API_KEY: key }));
      }
      await assertAgreement(servers);
      const series: Series[] = [];
      for (const scenario of extent.scenarios) {
        const reset = () => (scenario.writes ? resetStore(database) : undefined);
        const takers = servers.filter(({ kind }) => kind.scenarios?.includes(scenario.name) ?? true);
        await resetStore(database);
        series.push(...(await measure(scenario, takers, extent, reset)));
      }
      return series;
    } finally {
      for (const server of servers) await server.stop();
    }
  });
}

/** Loads each server once in each round. The first server changes from round to round. */
async function measure(
  { name: scenario, title, requests, alone }: Scenario,
  servers: Server[],
  { seconds, rounds, connections: counts, isWarm }: Extent,
  reset: () => Promise<void> | undefined,
): Promise<Series[]> {
  const all: Series[] = [];
  const warmUp = async (connections: number) => {
    for (const server of isWarm ? servers : []) {
      await load(server, requests, { connections, seconds });
      await reset();
    }
  };
  // At one connection, it takes half a minute until V8 has compiled all code on the path of a request.
  await warmUp(WARM_UP_CONNECTIONS);
  for (const connections of counts.filter((count) => count > 1 || alone)) {
    // One connection uses other code paths than many connections.
    if (connections !== WARM_UP_CONNECTIONS) await warmUp(connections);
    const runs = servers.map((server) => {
      const measured = { requestsPerSecond: [], p50: [], p99: [], cpu: [] };
      return { server, series: { scenario, connections, server: server.kind.name, ...measured } };
    });
    for (let round = 0; round < rounds; round++) {
      const first = round % runs.length;
      for (const { server, series } of [...runs.slice(first), ...runs.slice(0, first)]) {
        append(series, await load(server, requests, { connections, seconds }));
        await reset();
      }
    }
    console.log(`${title} at ${connections} connections, rounds: ${rounds}`);
    all.push(...runs.map(({ series }) => series));
  }
  return all;
}

function append(series: Series, measured: { [Key in keyof Measurement]: number | number[] }): void {
  for (const key of ['requestsPerSecond', 'p50', 'p99', 'cpu'] as const) {
    series[key].push(...[measured[key]].flat());
  }
}
