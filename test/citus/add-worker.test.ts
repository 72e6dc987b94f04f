import { afterAll, expect, onTestFinished, test } from 'vitest';

import { Ledger } from '../faults/support/ledger.ts';
import { Load } from '../faults/support/load.ts';
import { quick, rounds } from '../faults/support/mode.ts';
import { readBack } from '../faults/support/store.ts';
import { startCitus } from '../support/citus.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { startPostgres } from '../support/postgres.ts';
import { startServiceProcess } from '../support/process.ts';
import { query } from '../support/query.ts';
import { addressesOf, commandsOfSection, follow } from './support/outgrown.ts';
import { type Addition, publishAddition } from './support/results.ts';
import { countPrepared, prepareDistributedStore } from './support/store.ts';

const MOVES = rounds(12, 4);

/** How many requests of each process succeed between two moves. */
const SERVED = 100;

let addition: Addition | undefined;

afterAll(() => {
  if (!quick && addition) publishAddition(addition);
});

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

test('a worker that is added under load by the commands of the section, and moves between all workers, lose no write and no key', async () => {
  const [roles] = commandsOfSection('runbook.md', '## Roles');
  const [loadLibrary, addNode, rebalance] = commandsOfSection('operations.md', '### Add a worker');
  const citus = await startCitus();
  onTestFinished(() => citus.remove());
  const [first, second] = citus.workers;
  const third = await startPostgres(['max_connections = 300']);
  onTestFinished(() => third.remove());
  const directory = await makeDirectoryForTest();
  const environment = addressesOf({ COORDINATOR: citus.coordinator, WORKER3: third });
  const createRoles = (ADMIN_URL: string) =>
    follow(roles, { ADMIN_URL, OWNER_PASSWORD: 'secret', SERVICE_PASSWORD: 'secret' }, directory);
  const as = (role: string, { url }: { url: string }) => url.replace('postgres@', `${role}@`);

  await createRoles(citus.coordinator.url);
  const DATABASE_URL = citus.coordinator.url;
  const key = await prepareDistributedStore(DATABASE_URL, as('petstore_owner', citus.coordinator));
  await query(DATABASE_URL, 'GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO petstore_rows');
  const sent = new Set<string>();
  const openDoor = async (worker: { url: string }) => {
    const service = await startServiceProcess({
      DATABASE_URL: as('petstore_a', worker),
      MIGRATE_ON_START: 'false',
    });
    const options = { answerWithinMs: 60_000, clients: 16, isKeyed: true };
    return { service, load: Load.start({ url: service.url, key }, options, new Ledger(sent)) };
  };
  const doors = [await openDoor(first), await openDoor(second)];
  const untilServed = () => Promise.all(doors.map(({ load }) => load.untilSucceeded(SERVED, 120_000)));
  await untilServed();

  await createRoles(third.url);
  await follow(loadLibrary, environment, directory);
  await third.stop();
  await third.start();
  await follow(addNode, environment, directory);
  await untilServed();
  const rebalancedAt = performance.now();
  await untilDone(() => follow(rebalance, environment, directory));
  const rebalanceSeconds = (performance.now() - rebalancedAt) / 1000;
  doors.push(await openDoor(third));
  await untilServed();
  const workers = [first, second, third];
  for (let move = 0; move < MOVES; move++) {
    await moveKeys(DATABASE_URL, new URL(workers[move % 3]?.url ?? '').port);
    await untilServed();
  }

  const ledgers = await Promise.all(doors.map(({ load }) => load.stop()));
  await expect.poll(() => countPrepared(citus), { timeout: 60_000 }).toBe(0);
  for (const { service } of doors) expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  const rows = await readBack({ DATABASE_URL });
  const sum = (count: (ledger: Ledger) => number) =>
    ledgers.reduce((total, ledger) => total + count(ledger), 0);
  addition = {
    moves: MOVES,
    rebalanceSeconds,
    keys: sum(({ keys }) => keys.size),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    unavailable: sum(({ unavailable }) => unavailable),
    slowestMs: Math.max(...ledgers.map(({ slowestMs }) => slowestMs)),
  };
  console.log(addition);
  for (const ledger of ledgers) expect(ledger.judge(rows)).toEqual({ lost: 0, wrong: 0, examples: [] });
  // Every write was repeated until it succeeded, so that one more row would be an effect that took place twice.
  expect(rows.keys.length).toBe(addition.keys);
  expect(rows.pets.length + rows.orders.length + rows.messages.length).toBe(addition.acknowledged);
});
