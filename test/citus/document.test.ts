import { expect, onTestFinished, test } from 'vitest';

import { Ledger } from '../faults/support/ledger.ts';
import { Load } from '../faults/support/load.ts';
import { quick, rounds } from '../faults/support/mode.ts';
import { Client } from '../support/client.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { createKey } from '../support/key.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { startServiceProcess } from '../support/process.ts';
import { query } from '../support/query.ts';
import { expectEachOnce, totalOf } from './support/ledgers.ts';
import { addressesOf, commandsOfSection, follow } from './support/outgrown.ts';
import { publish } from './support/results.ts';
import { countPrepared } from './support/store.ts';

/** The animals of the PostgreSQL that is outgrown. */
const ANIMALS = 100_000;

const MOVES = rounds(12, 4);

/** How many requests of each process succeed between two steps. */
const SERVED = 100;

async function startServer(): Promise<Postgres> {
  const server = await startPostgres(['max_connections = 300']);
  onTestFinished(() => server.remove());
  return server;
}

/** Moves the shards of the orders and keys of the only account to a worker. */
async function moveKeys(coordinatorUrl: string, toPort: string): Promise<void> {
  const [shard] = await query<{ id: string; port: number }>(
    coordinatorUrl,
    `SELECT shardid AS id, nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
     WHERE shardid = (SELECT get_shard_id_for_distribution_column('idempotency_key', min(id)) FROM account)`,
  );
  const move = `SELECT citus_move_shard_placement(${shard?.id}, '127.0.0.1', ${shard?.port}, '127.0.0.1', ${toPort}, 'block_writes')`;
  await untilDone(() => query(coordinatorUrl, move));
}

/** The old place of an earlier move remains until no transaction uses it any more. */
async function untilDone(work: () => Promise<unknown>): Promise<void> {
  const outcome = () => work().then(() => 'done', String);
  await expect.poll(outcome, { timeout: 120_000, interval: 1000 }).toBe('done');
}

test('by the commands of the documentation and under load, a PostgreSQL becomes a Citus, gets a worker more, and goes back, with each write and its key once', async () => {
  const [roles] = commandsOfSection('runbook.md', '## Roles');
  const [loadLibrary, createExtension, distribute, grantSequences, removeOldRows, goBack] = commandsOfSection(
    'operations.md',
    '### When one PostgreSQL is outgrown',
  );
  const [loadOnNew, addNode, rebalance] = commandsOfSection('operations.md', '### Add a worker');
  const directory = await makeDirectoryForTest();
  const secondsOf: Record<string, number> = {};
  const [coordinator, first, second, third, single] = (await Promise.all(
    Array.from({ length: 5 }, startServer),
  )) as [Postgres, Postgres, Postgres, Postgres, Postgres];
  const as = (role: string, { url }: Postgres) => url.replace('postgres@', `${role}@`);
  const environment = {
    ...addressesOf({ COORDINATOR: coordinator, WORKER1: first, WORKER2: second, WORKER3: third }),
    SINGLE_URL: as('petstore_owner', single),
  };
  const run = (commands: string | undefined) => follow(commands, environment, directory);
  const createRoles = ({ url: ADMIN_URL }: Postgres) =>
    follow(roles, { ADMIN_URL, OWNER_PASSWORD: 'secret', SERVICE_PASSWORD: 'secret' }, directory);
  const restart = async (server: Postgres) => {
    await server.stop();
    await server.start();
  };

  await createRoles(coordinator);
  const key = await createKey({ DATABASE_URL: as('petstore_owner', coordinator) });
  const sent = new Set(Array.from({ length: ANIMALS }, (_, number) => `Animal ${number}`));
  await query(
    coordinator.url,
    `INSERT INTO pet (name, category_id) SELECT 'Animal ' || number, 1 FROM generate_series(0, ${ANIMALS - 1}) AS number`,
  );
  const start = (server: Postgres) =>
    startServiceProcess({ DATABASE_URL: as('petstore_a', server), MIGRATE_ON_START: 'false' });
  const loads: Load[] = [];
  const startLoad = ({ url }: { url: string }) => {
    const load = Load.start(
      { url, key },
      { answerWithinMs: 60_000, clients: 16, isKeyed: true },
      Object.assign(new Ledger(sent), { isDistributed: true }),
    );
    loads.push(load);
    return load;
  };
  const untilServed = () => Promise.all(loads.map((load) => load.untilSucceeded(SERVED, 120_000)));
  const before = await start(coordinator);
  const load = startLoad(before);
  await untilServed();

  for (const server of [first, second]) await createRoles(server);
  await run(loadLibrary);
  const restartedAt = performance.now();
  for (const server of [coordinator, first, second]) await restart(server);
  secondsOf['restart of the servers: until all clients succeeded again'] =
    (await load.untilHealthy(restartedAt)) / 1000;
  await untilServed();
  const stoppedAt = performance.now();
  expect(await before.stop()).toMatchObject({ code: 0 });
  await run(createExtension);
  const distributeSeconds = await run(distribute);
  await run(grantSequences);
  const services = [await start(first), await start(second)];
  load.target.url = services[0]?.url ?? '';
  secondsOf['downtime: from the stop of the service until all clients succeeded again'] =
    (await load.untilHealthy(stoppedAt)) / 1000;
  secondsOf['of which `migrate` and `distribute`'] = distributeSeconds;
  startLoad(services[1] ?? { url: '' });
  await untilServed();
  await run(removeOldRows);
  await untilServed();

  await createRoles(third);
  await run(loadOnNew);
  await restart(third);
  await run(addNode);
  await untilServed();
  const rebalancedAt = performance.now();
  await untilDone(() => run(rebalance));
  secondsOf['a worker more: moves of its share of the shards'] = (performance.now() - rebalancedAt) / 1000;
  services.push(await start(third));
  startLoad(services[2] ?? { url: '' });
  await untilServed();
  const workers = [first, second, third];
  for (let move = 0; move < MOVES; move++) {
    await moveKeys(coordinator.url, new URL(workers[move % 3]?.url ?? '').port);
    await untilServed();
  }

  const ledgers = await Promise.all(loads.map((each) => each.stop()));
  await expect.poll(() => countPrepared([coordinator, ...workers]), { timeout: 60_000 }).toBe(0);
  for (const service of services) expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  await expectEachOnce(ledgers, coordinator.url, ANIMALS);

  await createRoles(single);
  secondsOf['the way back: dump, `migrate`, restore'] = await run(goBack);
  const { pets } = await expectEachOnce(ledgers, single.url, ANIMALS);
  const last = await start(single);
  const client = await Client.of(last.url, key);
  const { status, body } = await client.post('/v1/pets', { name: 'Tom', categoryId: 1 });
  const newest = pets.map(({ id }) => id).reduce((a, b) => (a > b ? a : b));
  expect({ status, isNewer: (body as { id: bigint }).id > newest }).toEqual({ status: 201, isNewer: true });
  expect(await last.stop()).toMatchObject({ code: 0 });
  const move = { moves: MOVES, animals: pets.length, secondsOf, ...totalOf(ledgers) };
  console.log(move);
  if (!quick) await publish({ move }, coordinator.url);
});
