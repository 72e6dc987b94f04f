import { setTimeout as sleep } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { memoryMiB } from '../support/proc.ts';
import { startServiceProcess } from '../support/process.ts';
import { percentile } from '../support/statistics.ts';
import { Ledger } from './support/ledger.ts';
import { Load } from './support/load.ts';
import { quick, rounds } from './support/mode.ts';
import { Proxy } from './support/proxy.ts';
import { record } from './support/results.ts';
import { createStore, readBack, usePostgres } from './support/store.ts';
import { ANSWER_WITHIN_MS } from './support/timeouts.ts';

const postgres = usePostgres();

const WAVES = rounds(6, 2);
const WAVE_MS = rounds(5000, 2500);
const CLIENTS = 500;
const POOL_SIZE = '4';

/**
 * The latency of each direction between service and database, with which a few connections take a tenth of a second.
 */
const LATENCY_MS = 50;

test('with a slow database, load is shed, memory is bounded, and the full speed returns afterwards', async () => {
  const { DATABASE_URL, key } = await createStore(postgres.server);
  const toDatabase = await Proxy.to(DATABASE_URL);
  onTestFinished(() => toDatabase.close());
  const service = await startServiceProcess({
    DATABASE_URL: toDatabase.rewrite(DATABASE_URL),
    DATABASE_POOL_SIZE: POOL_SIZE,
  });
  const target = { url: service.url, key };
  const ledger = new Ledger();
  const calmBefore = await calmRate(target, ledger);

  const startedAt = performance.now();
  const memory: number[] = [];
  const accepted: number[] = [];
  const shed: number[] = [];
  const shedAtOnset: number[] = [];
  toDatabase.set({ latencyMs: LATENCY_MS });
  for (let wave = 0; wave < WAVES; wave++) {
    // Right after the database has become slow, the service cannot detect overload.
    const refused = wave === 0 ? shedAtOnset : shed;
    const burst = Load.start(
      target,
      {
        answerWithinMs: 60_000,
        clients: CLIENTS,
        maxPauseMs: 0,
        obeysRetryAfter: true,
        onAnswer: (_, { status, durationMs }) => (status < 300 ? accepted : refused).push(durationMs),
      },
      ledger,
    );
    await sleep(WAVE_MS);
    await burst.stop();
    memory.push(memoryMiB(service.pid, 'VmRSS'));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  toDatabase.heal();
  const load = Load.start(target, { answerWithinMs: ANSWER_WITHIN_MS }, ledger);
  const recoveryMs = await load.untilHealthy(performance.now());
  await load.stop();
  const calmAfter = await calmRate(target, ledger);

  const verdict = ledger.judge(await readBack({ DATABASE_URL }));
  await record(
    {
      fault: `${CLIENTS} clients that pause only after Retry-After, on ${POOL_SIZE} connections to a database ${2 * LATENCY_MS} ms away`,
      requestsPerSecond: (accepted.length + shedAtOnset.length + shed.length) / seconds,
      recoveryMs,
      requests: ledger.requests,
      acknowledged: ledger.acknowledged,
      unknown: ledger.unknown,
      slowestMs: Math.round(ledger.slowestMs),
      lost: verdict.lost,
      wrong: verdict.wrong,
      details: [
        `${accepted.length} accepted, p99 ${percentile(accepted, 99).toFixed(0)} ms`,
        `in the first ${WAVE_MS / 1000} s, when the database has just become slow, ${describe(shedAtOnset)}`,
        `after that, ${describe(shed)}`,
        `resident memory after each wave: ${memory.map((size) => size.toFixed(0)).join(', ')} MiB`,
        `requests per second of 64 clients with pauses before and after: ${calmBefore.toFixed(0)}, ${calmAfter.toFixed(0)}`,
      ].join('; '),
    },
    DATABASE_URL,
  );
  expect(verdict).toEqual({ lost: 0, wrong: 0, examples: [] });
  expect(accepted.length).toBeGreaterThan(0);
  expect(shed.length).toBeGreaterThan(0);
  expect(memory.at(-1)).toBeLessThan((memory[0] ?? 0) * 1.5 + 50);
  // The short form may run on a busy machine.
  if (quick) return;
  // Without a limit, shed requests would wait for a connection for three seconds.
  expect(percentile(shed, 50)).toBeLessThan(1500);
  expect(calmAfter).toBeGreaterThan(calmBefore / 3);
});

/** Returns the requests per second of clients with pauses, on an otherwise idle service. */
async function calmRate(target: { url: string; key: string }, ledger: Ledger): Promise<number> {
  const load = Load.start(target, { answerWithinMs: ANSWER_WITHIN_MS }, ledger);
  const [startedAt, before] = [performance.now(), ledger.succeeded];
  await load.untilSucceeded(1000);
  const rate = (ledger.succeeded - before) / ((performance.now() - startedAt) / 1000);
  await load.stop();
  return rate;
}

/** Describes the shed requests and their durations. */
function describe(durations: readonly number[]): string {
  const [p50, p99] = [50, 99].map((percent) => percentile(durations, percent).toFixed(0));
  return `${durations.length} shed, ${share(durations, 100)} % of them in under 100 ms, p50 ${p50} ms, p99 ${p99} ms`;
}

/** Returns the percentage of the values below a limit. */
function share(values: readonly number[], limit: number): string {
  return ((values.filter((value) => value < limit).length / values.length) * 100).toFixed(1);
}
