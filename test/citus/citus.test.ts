import { afterAll, expect, onTestFinished, test } from 'vitest';

import { getStatus } from '../faults/support/health.ts';
import { Ledger } from '../faults/support/ledger.ts';
import { Load } from '../faults/support/load.ts';
import { quick, rounds } from '../faults/support/mode.ts';
import { readBack } from '../faults/support/store.ts';
import { ANSWER_WITHIN_MS, TIMEOUTS } from '../faults/support/timeouts.ts';
import { childrenOf } from '../cluster/support/programs.ts';
import { startCitus } from '../support/citus.ts';
import { Client } from '../support/client.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { createKey } from '../support/key.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type ListeningProcess, startServiceProcess } from '../support/process.ts';
import { query } from '../support/query.ts';
import { signal } from '../support/signal.ts';
import { type Costs, measureCosts } from './support/cost.ts';
import { openDoors } from './support/doors.ts';
import { addressesOf, commandsOfSection, follow } from './support/outgrown.ts';
import { type Fault, type Move, publish } from './support/results.ts';
import { countPrepared, petsByWorker, prepareDistributedStore } from './support/store.ts';

const KILLS = rounds(3, 1);

/** How many requests succeed before, during and after an outage. */
const SERVED = 300;

/** The animals of the PostgreSQL that is outgrown. */
const ANIMALS = 100_000;

const faults: Fault[] = [];
let move: Move | undefined;
let costs: Costs[] = [];
let versions = '';

afterAll(() => {
  if (!quick && faults.length === 4 && move && costs.length > 0) publish(faults, move, costs, versions);
});

/** Ends a server and all of its processes at once. */
async function kill(server: Postgres): Promise<void> {
  signal([server.pid(), ...childrenOf(server.pid())], 'SIGKILL');
  await server.stop('immediate');
}

/** A distributed database, the service on it, and a load on the service. */
async function startUnderLoad() {
  const citus = await startCitus();
  onTestFinished(() => citus.remove());
  const DATABASE_URL = citus.coordinator.url;
  versions = await versionsOf(DATABASE_URL);
  const key = await prepareDistributedStore(DATABASE_URL);
  const service = await startServiceProcess({ DATABASE_URL, ...TIMEOUTS });
  const load = Load.start({ url: service.url, key }, { answerWithinMs: ANSWER_WITHIN_MS });
  await load.untilSucceeded(SERVED);
  return { citus, DATABASE_URL, key, service, load };
}

type Scenario = Pick<
  Awaited<ReturnType<typeof startUnderLoad>>,
  'citus' | 'DATABASE_URL' | 'service' | 'load'
>;

/** Ends the load. Nothing is lost or wrong once the nodes have ended the transactions of the outage. */
async function judge(fault: string, { citus, DATABASE_URL, service, load }: Scenario, recoveryMs: number) {
  const ledger = await load.stop();
  await expect.poll(() => countPrepared(citus), { timeout: 60_000 }).toBe(0);
  expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  const { lost, wrong, examples } = ledger.judge(await readBack({ DATABASE_URL }));
  const { requests, acknowledged, unavailable, slowestMs } = ledger;
  faults.push({ fault, requests, acknowledged, lost, wrong, unavailable, slowestMs, recoveryMs });
  console.log(faults.at(-1));
  expect({ lost, wrong, examples }).toEqual({ lost: 0, wrong: 0, examples: [] });
}

test('a worker that is killed costs the requests for its own rows, and no others, until it is back', async () => {
  const scenario = await startUnderLoad();
  const { citus, DATABASE_URL, key, service, load } = scenario;
  const get = async (id: string) => {
    const answer = await fetch(`${service.url}/v1/pets/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await answer.text();
    return `${answer.status} ${answer.headers.get('retry-after')}`;
  };
  let recoveryMs = 0;
  for (let round = 0; round < KILLS; round++) {
    const away = citus.workers[round % 2 === 0 ? 0 : 1];
    const other = citus.workers[round % 2 === 0 ? 1 : 0];
    const ids = await petsByWorker(DATABASE_URL);
    const idsOn = ({ url }: Postgres) => ids.get(new URL(url).port) ?? [];
    await kill(away);
    // A first request notices that its connection is lost.
    await expect.poll(() => get(idsOn(away)[0] ?? ''), { timeout: 10_000 }).toBe('503 1');
    await load.untilSucceeded(SERVED);
    expect(new Set(await Promise.all(idsOn(other).map(get)))).toEqual(new Set(['200 null']));
    expect(new Set(await Promise.all(idsOn(away).map(get)))).toEqual(new Set(['503 1']));
    expect(await getStatus(service.url, 'ready')).toBe(200);
    await away.start();
    recoveryMs = Math.max(recoveryMs, await load.untilHealthy(performance.now()));
    await load.untilSucceeded(SERVED);
  }
  await judge(`a worker killed and started again, ${KILLS} times`, scenario, recoveryMs);
});

test('a coordinator that is killed makes the service unready until it is back', async () => {
  const scenario = await startUnderLoad();
  const { citus, service, load } = scenario;
  let recoveryMs = 0;
  for (let round = 0; round < KILLS; round++) {
    await kill(citus.coordinator);
    await expect.poll(() => getStatus(service.url, 'ready'), { timeout: 20_000 }).toBe(503);
    expect(await getStatus(service.url, 'live')).toBe(200);
    await citus.coordinator.start();
    recoveryMs = Math.max(recoveryMs, await load.untilHealthy(performance.now()));
    expect(await getStatus(service.url, 'ready')).toBe(200);
    await load.untilSucceeded(SERVED);
  }
  await judge(`the coordinator killed and started again, ${KILLS} times`, scenario, recoveryMs);
});

test('a worker that is killed stops the process that is connected to it, and no acknowledged write of either is lost', async () => {
  const { citus, coordinatorUrl: DATABASE_URL, key, doors } = await openDoors(onTestFinished, TIMEOUTS);
  const sent = new Set<string>();
  const scenarioOf = (service: ListeningProcess): Scenario => {
    const options = { answerWithinMs: ANSWER_WITHIN_MS, clients: 32 };
    const load = Load.start({ url: service.url, key }, options, new Ledger(sent));
    return { citus, DATABASE_URL, service, load };
  };
  const [first, second] = [scenarioOf(doors[0]), scenarioOf(doors[1])];
  const untilServed = () => Promise.all([first, second].map(({ load }) => load.untilSucceeded(SERVED)));
  await untilServed();
  let recoveryMs = 0;
  for (let round = 0; round < KILLS; round++) {
    await kill(citus.workers[0]);
    await expect.poll(() => getStatus(first.service.url, 'ready'), { timeout: 20_000 }).toBe(503);
    await second.load.untilSucceeded(SERVED);
    expect(await getStatus(second.service.url, 'ready')).toBe(200);
    await citus.workers[0].start();
    const since = performance.now();
    for (const { load } of [first, second]) recoveryMs = Math.max(recoveryMs, await load.untilHealthy(since));
    await untilServed();
  }
  await Promise.all([first, second].map(({ load }) => load.stop()));
  await judge(`a worker killed ${KILLS} times: the process that is connected to it`, first, recoveryMs);
  await judge(`a worker killed ${KILLS} times: the process on the other worker`, second, recoveryMs);
});

test('a PostgreSQL with 100,000 animals becomes a Citus under load, by the commands of the section, and goes back', async () => {
  const [loadLibrary, createExtension, distribute, removeOldRows, goBack] = commandsOfSection(
    'operations.md',
    '### When one PostgreSQL is outgrown',
  );
  const servers: Postgres[] = [];
  for (let count = 0; count < 3; count++) {
    const server = await startPostgres(['max_connections = 300']);
    servers.push(server);
    onTestFinished(() => server.remove());
  }
  const [coordinator, ...workers] = servers as [Postgres, Postgres, Postgres];
  const directory = await makeDirectoryForTest();
  const environment = addressesOf({ COORDINATOR: coordinator, WORKER1: workers[0], WORKER2: workers[1] });
  const DATABASE_URL = coordinator.url;
  const key = await createKey({ DATABASE_URL });
  const ledger = new Ledger(new Set(Array.from({ length: ANIMALS }, (_, number) => `Animal ${number}`)));
  await query(
    DATABASE_URL,
    `INSERT INTO pet (name, category_id) SELECT 'Animal ' || number, 1 FROM generate_series(0, ${ANIMALS - 1}) AS number`,
  );
  const before = await startServiceProcess({ DATABASE_URL, ...TIMEOUTS });
  const load = Load.start(
    { url: before.url, key },
    { answerWithinMs: ANSWER_WITHIN_MS, clients: 16 },
    ledger,
  );
  await load.untilSucceeded(SERVED);

  await follow(loadLibrary, environment, directory);
  const restartedAt = performance.now();
  for (const server of servers) {
    await server.stop();
    await server.start();
  }
  const restartSeconds = (await load.untilHealthy(restartedAt)) / 1000;
  await load.untilSucceeded(SERVED);

  const stoppedAt = performance.now();
  expect(await before.stop()).toMatchObject({ code: 0 });
  await follow(createExtension, environment, directory);
  const distributeSeconds = await follow(distribute, environment, directory);
  const after = await Promise.all(
    workers.map(({ url }) =>
      startServiceProcess({ DATABASE_URL: url, MIGRATE_ON_START: 'false', ...TIMEOUTS }),
    ),
  );
  load.target.url = after[0]?.url ?? '';
  const downSeconds = (await load.untilHealthy(stoppedAt)) / 1000;
  const others = Load.start(
    { url: after[1]?.url ?? '', key },
    { answerWithinMs: ANSWER_WITHIN_MS, clients: 16 },
    new Ledger(ledger.sent),
  );
  await Promise.all([load.untilSucceeded(SERVED), others.untilSucceeded(SERVED)]);
  await follow(removeOldRows, environment, directory);
  await Promise.all([load.untilSucceeded(SERVED), others.untilSucceeded(SERVED)]);
  const ledgers = [await load.stop(), await others.stop()];
  for (const service of after) expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  const rows = await readBack({ DATABASE_URL });
  for (const each of ledgers) expect(each.judge(rows)).toEqual({ lost: 0, wrong: 0, examples: [] });

  const single = await startPostgres();
  onTestFinished(() => single.remove());
  const backSeconds = await follow(goBack, { ...environment, SINGLE_URL: single.url }, directory);
  const restored = await readBack({ DATABASE_URL: single.url });
  for (const each of ledgers) expect(each.judge(restored)).toEqual({ lost: 0, wrong: 0, examples: [] });
  expect(restored.pets).toHaveLength(rows.pets.length);
  const last = await startServiceProcess({ DATABASE_URL: single.url });
  const client = await Client.of(last.url, key);
  const { status, body } = await client.post('/v1/pets', { name: 'Tom', categoryId: 1 });
  const newest = rows.pets.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
  expect({ status, isNewer: (body as { id: bigint }).id > newest }).toEqual({ status: 201, isNewer: true });
  expect(await last.stop()).toMatchObject({ code: 0 });
  move = { animals: rows.pets.length, restartSeconds, downSeconds, distributeSeconds, backSeconds };
  console.log(move);
});

test('the costs by the coordinator and by a worker are measured against a single PostgreSQL', async () => {
  costs = await measureCosts();
  console.dir(costs, { depth: null });
  expect(costs.length).toBeGreaterThan(0);
});

async function versionsOf(databaseUrl: string): Promise<string> {
  const [server] = await query<{ server_version: string }>(databaseUrl, 'SHOW server_version');
  const [citus] = await query<{ extversion: string }>(
    databaseUrl,
    `SELECT extversion FROM pg_extension WHERE extname = 'citus'`,
  );
  const postgres = server?.server_version.split(' ')[0] ?? 'unknown';
  return `Node ${process.versions.node}, PostgreSQL ${postgres}, Citus ${citus?.extversion ?? 'unknown'}`;
}
