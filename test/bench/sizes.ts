import type { Postgres } from '../support/postgres.ts';
import { useCores } from './cores.ts';
import { createDatabase, fillStore, withClient } from './database.ts';
import { load } from './load.ts';
import type { Sizes } from './results.ts';
import type { Request } from './scenarios.ts';
import { PETSTORE, Server } from './servers.ts';

/** The number of different requests by id, and the distance of their ids, which spreads them over each store. */
const IDS = 5000;
const STRIDE = 7919;

/** Measures the service at one connection on one core, in stores that differ only in the number of animals. */
export async function measureSizes(
  postgres: Postgres,
  { sizes, rounds, seconds }: { sizes: number[]; rounds: number; seconds: number },
): Promise<Sizes> {
  const servers: { size: number; server: Server }[] = [];
  try {
    for (const size of sizes) {
      console.log(`filling a store with ${size} animals`);
      const url = await withClient(postgres.url, (client) =>
        createDatabase(client, postgres.url, `animals_${size}`),
      );
      const store = await fillStore({ DATABASE_URL: url }, seedOf(size));
      servers.push({ size, server: await Server.start(PETSTORE, store) });
    }
    const processes = [postgres.pid(), ...servers.map(({ server }) => server.pid)];
    useCores('one', processes);
    const series: Sizes['series'] = [];
    for (const request of Object.keys(requestsTo(1))) {
      const rows = servers.map(({ size, server }) => {
        const requests = requestsTo(size)[request] ?? [];
        const p50: number[] = [];
        const run = async () => (await load(server, requests, { connections: 1, seconds })).p50;
        return { request, size, p50, run };
      });
      for (const { run } of rows) await run();
      for (let round = 0; round < rounds; round++) {
        for (const { p50, run } of round % 2 === 0 ? rows : rows.toReversed()) p50.push(await run());
      }
      console.log(`${request} in ${sizes.length} sizes, rounds: ${rounds}`);
      series.push(...rows.map(({ request, size, p50 }) => ({ request, size, p50 })));
    }
    useCores('all', processes);
    return { sizes, series };
  } finally {
    for (const { server } of servers) await server.stop();
  }
}

/** Most animals are available, a tenth is sold, and the last 3 % are pending, far from the start of the list. */
const seedOf = (size: number) => `
  INSERT INTO pet (name, category_id, status)
  SELECT 'Animal ' || number, 1 + number % 20,
         CASE WHEN number > ${size} * 0.97 THEN 'pending' WHEN number % 10 = 0 THEN 'sold' ELSE 'available' END
  FROM generate_series(1, ${size}) AS number`;

/** Requests whose responses have the same length in each store. */
function requestsTo(size: number): Record<string, Request[]> {
  const get = (path: string): Request => ({ method: 'GET', path });
  return {
    list: [get('/v1/pets?limit=20')],
    'list by a common status': [get('/v1/pets?limit=20&status=available')],
    'list by a rare status': [get('/v1/pets?limit=20&status=pending')],
    'last page, by `after`': [get(`/v1/pets?limit=20&after=${size - 20}`)],
    'get by id': Array.from({ length: IDS }, (_, index) => get(`/v1/pets/${1 + ((index * STRIDE) % size)}`)),
  };
}
