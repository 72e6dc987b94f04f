import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';

import { type ListeningProcess, startServiceProcess } from '../support/process.ts';
import { query } from '../support/query.ts';
import { signal } from '../support/signal.ts';
import { getStatus } from './support/health.ts';
import { Ledger } from './support/ledger.ts';
import { Load } from './support/load.ts';
import { quick, rounds } from './support/mode.ts';
import { recordLoad } from './support/results.ts';
import { createStore, usePostgres } from './support/store.ts';
import { ANSWER_WITHIN_MS, TIMEOUTS } from './support/timeouts.ts';

const postgres = usePostgres();

let store: { DATABASE_URL: string; key: string };
let service: ListeningProcess;
/** The texts that all tests have sent. */
const sent = new Set<string>();

beforeAll(async () => {
  store = await createStore(postgres.server);
  service = await startServiceProcess({ DATABASE_URL: store.DATABASE_URL, ...TIMEOUTS }, () => undefined);
  return () => service.stop('SIGKILL');
});

async function startLoad({ isKeyed = false } = {}): Promise<Load> {
  const options = { answerWithinMs: ANSWER_WITHIN_MS, isKeyed };
  const load = Load.start({ url: service.url, key: store.key }, options, new Ledger(sent));
  await load.untilSucceeded(300);
  return load;
}

async function expectUnready(): Promise<void> {
  await expect.poll(() => getStatus(service.url, 'ready')).toBe(503);
  expect(await getStatus(service.url, 'live')).toBe(200);
}

/** Waits until all clients are served again, which may take as long as a request. */
async function recover(load: Load): Promise<number> {
  const recoveryMs = await load.untilHealthy(performance.now());
  expect(recoveryMs).toBeLessThan(ANSWER_WITHIN_MS);
  expect(await getStatus(service.url, 'ready')).toBe(200);
  return recoveryMs;
}

test('a PostgreSQL that is stopped immediately and started again: 503 meanwhile, then recovery', async () => {
  const load = await startLoad();
  let recoveryMs = 0;
  for (let stop = 0; stop < STOPS; stop++) {
    await postgres.server.stop('immediate');
    await expectUnready();
    await sleep(OUTAGE_MS);
    await postgres.server.start();
    recoveryMs = Math.max(recoveryMs, await recover(load));
  }
  await recordLoad(`PostgreSQL stopped immediately and restarted, ${STOPS} times`, load, store, {
    recoveryMs,
  });
});

const STOPS = rounds(5, 1);
const OUTAGE_MS = rounds(5000, 1000);

test('backends that are terminated one by one: the service uses other connections', async () => {
  const load = await startLoad();
  for (let ended = 0; ended < TERMINATIONS; ended++) {
    const [backend] = await backendsOf();
    await query(postgres.server.url, `SELECT pg_terminate_backend(${backend ?? 0})`);
    await load.untilSucceeded(20);
  }
  const recoveryMs = await recover(load);
  await recordLoad(`${TERMINATIONS} backends terminated one by one`, load, store, { recoveryMs });
});

const TERMINATIONS = rounds(200, 10);

// In the short form, all backends hang.
test.skipIf(quick)(
  'a backend that hangs while it waits for a statement: a response in time, and the service uses other connections',
  async () => {
    const load = await startLoad();
    for (let hung = 0; hung < HANGS; hung++) {
      const [backend = 0] = await backendsOf();
      const goOn = await hangWhileIdle([backend]);
      // The backend keeps hanging. The service must recover without it.
      await load.untilHealthy(performance.now());
      goOn();
    }
    const recoveryMs = await recover(load);
    await recordLoad(`a backend that waits for a statement hangs, ${HANGS} times`, load, store, {
      recoveryMs,
    });
  },
);

const HANGS = 5;

test('all backends hang while they wait for a statement: a response in time, and the service recovers without them', async () => {
  const load = await startLoad();
  const goOn = await hangWhileIdle(await backendsOf());
  const recoveryMs = await recover(load);
  goOn();
  await recordLoad('all backends hang while they wait for a statement', load, store, { recoveryMs });
});

test('the whole PostgreSQL hangs: 503 long before it goes on, then recovery', async () => {
  const load = await startLoad({ isKeyed: true });
  const goOn = hang([postgres.server.pid(), ...(await backendsOf())]);
  await expectUnready();
  await sleep(HANG_MS);
  goOn();
  const recoveryMs = await recover(load);
  const fault = `the whole PostgreSQL hangs for ${HANG_MS / 1000} s, and writes have keys`;
  await recordLoad(fault, load, store, { recoveryMs });
});

/** Longer than a client waits, so that a request that the hang holds counts as wrong. */
const HANG_MS = rounds(30_000, ANSWER_WITHIN_MS + 1000);

test('the service has logged no error on stderr, and stops', async () => {
  expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
});

/** Returns the processes that serve the connections of the service, the most recently active first. */
async function backendsOf(): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    store.DATABASE_URL,
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
