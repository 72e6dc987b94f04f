import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { startServiceProcess } from '../support/process.ts';
import { query } from '../support/query.ts';
import { signal } from '../support/signal.ts';
import { getStatus } from './support/health.ts';
import { Load } from './support/load.ts';
import { rounds } from './support/mode.ts';
import { record, totals } from './support/results.ts';
import { createStore, readBack, usePostgres } from './support/store.ts';
import { ANSWER_WITHIN_MS, TIMEOUTS } from './support/timeouts.ts';

const postgres = usePostgres();

/** The service and a load on it, with a separate database. */
async function startUnderLoad({ isKeyed = false } = {}) {
  const { DATABASE_URL, key } = await createStore(postgres.server);
  const service = await startServiceProcess({ DATABASE_URL, ...TIMEOUTS });
  const load = Load.start({ url: service.url, key }, { answerWithinMs: ANSWER_WITHIN_MS, isKeyed });
  await load.untilSucceeded(300);
  return { DATABASE_URL, service, load };
}

type Scenario = Awaited<ReturnType<typeof startUnderLoad>>;

/** Ends the load. No write may be lost or wrong, and the service must still run. */
async function judge(fault: string, { DATABASE_URL, service, load }: Scenario, recoveryMs: number) {
  const ledger = await load.stop();
  expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  const verdict = ledger.judge(await readBack({ DATABASE_URL }));
  const { requestsPerSecond } = load;
  record({ fault, requestsPerSecond, recoveryMs, ...totals(ledger, verdict) }, postgres.version);
  expect(verdict).toEqual({ lost: 0, wrong: 0, examples: [] });
}

async function expectUnready({ service: { url } }: Scenario): Promise<void> {
  await expect.poll(() => getStatus(url, 'ready'), { timeout: 20_000 }).toBe(503);
  expect(await getStatus(url, 'live')).toBe(200);
}

/** Waits until all clients are served again, which may take 5 seconds. */
async function recover({ service: { url }, load }: Scenario): Promise<number> {
  const recoveryMs = await load.untilHealthy(performance.now());
  expect(recoveryMs).toBeLessThan(5000);
  expect(await getStatus(url, 'ready')).toBe(200);
  return recoveryMs;
}

test('a PostgreSQL that is stopped immediately and started again: 503 meanwhile, then recovery', async () => {
  const scenario = await startUnderLoad();
  let recoveryMs = 0;
  for (let stop = 0; stop < STOPS; stop++) {
    await postgres.server.stop('immediate');
    await expectUnready(scenario);
    await sleep(OUTAGE_MS);
    await postgres.server.start();
    recoveryMs = Math.max(recoveryMs, await recover(scenario));
  }
  await judge(`PostgreSQL stopped immediately and restarted, ${STOPS} times`, scenario, recoveryMs);
});

const STOPS = rounds(5, 1);
const OUTAGE_MS = rounds(5000, 1000);

test('backends that are terminated one by one: the service uses other connections', async () => {
  const scenario = await startUnderLoad();
  for (let ended = 0; ended < TERMINATIONS; ended++) {
    const [backend] = await backendsOf(scenario);
    await query(postgres.server.url, `SELECT pg_terminate_backend(${backend ?? 0})`);
    await scenario.load.untilSucceeded(20);
  }
  const recoveryMs = await recover(scenario);
  await judge(`${TERMINATIONS} backends terminated one by one`, scenario, recoveryMs);
});

const TERMINATIONS = rounds(200, 10);

test('a backend that hangs while it waits for a statement: a response in time, and the service uses other connections', async () => {
  const scenario = await startUnderLoad();
  for (let hung = 0; hung < HANGS; hung++) {
    const [backend = 0] = await backendsOf(scenario);
    const goOn = await hangWhileIdle([backend]);
    // The backend keeps hanging. The service must recover without it.
    await scenario.load.untilHealthy(performance.now());
    goOn();
  }
  const recoveryMs = await recover(scenario);
  await judge(`a backend that waits for a statement hangs, ${HANGS} times`, scenario, recoveryMs);
});

const HANGS = rounds(5, 1);

test('all backends hang while they wait for a statement: a response in time, and the service recovers without them', async () => {
  const scenario = await startUnderLoad();
  const goOn = await hangWhileIdle(await backendsOf(scenario));
  const recoveryMs = await recover(scenario);
  goOn();
  await judge('all backends hang while they wait for a statement', scenario, recoveryMs);
});

test('the whole PostgreSQL hangs: 503 long before it goes on, then recovery', async () => {
  const scenario = await startUnderLoad({ isKeyed: true });
  const goOn = hang([postgres.server.pid(), ...(await backendsOf(scenario))]);
  await expectUnready(scenario);
  await sleep(HANG_MS);
  goOn();
  const recoveryMs = await recover(scenario);
  await judge(
    `the whole PostgreSQL hangs for ${HANG_MS / 1000} s, and writes have keys`,
    scenario,
    recoveryMs,
  );
});

/** Longer than a client waits, so that a request that the hang holds counts as wrong. */
const HANG_MS = rounds(30_000, ANSWER_WITHIN_MS + 1000);

/** Returns the processes that serve the connections of the service, the most recently active first. */
async function backendsOf({ DATABASE_URL }: Scenario): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    DATABASE_URL,
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'petstore' ORDER BY query_start DESC`,
  );
  return rows.map(({ pid }) => pid);
}

/** Stops processes. Returns a function that continues them; the end of the test does that, too. */
function hang(pids: number[]): () => void {
  const goOn = () => {
    signal(pids.splice(0), 'SIGCONT');
  };
  signal(pids, 'SIGSTOP');
  onTestFinished(goOn);
  return goOn;
}

/**
 * Stops backends while they wait for a statement. A backend that is stopped during a statement may hold a lock of
 * PostgreSQL, such as that of the log, which blocks all other backends.
 */
async function hangWhileIdle(pids: number[]): Promise<() => void> {
  const all: (() => void)[] = [];
  for (const pid of pids) {
    let goOn = hang([pid]);
    while (!(await isIdle(pid))) {
      goOn();
      await sleep(5);
      goOn = hang([pid]);
    }
    all.push(goOn);
  }
  return () => {
    for (const goOn of all) goOn();
  };
}

/** Returns whether a backend waits for a statement, or has ended because the service closed its connection. */
async function isIdle(pid: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: postgres.server.url,
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ wait_event: string | null }>(
      'SELECT wait_event FROM pg_stat_activity WHERE pid = $1',
      [pid],
    );
    return rows.every(({ wait_event }) => wait_event === 'ClientRead');
  } catch {
    // The server waits for the stopped backend.
    return false;
  } finally {
    void client.end();
  }
}
