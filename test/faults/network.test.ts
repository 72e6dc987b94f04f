import { setTimeout as sleep } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { startServiceProcess } from '../support/process.ts';
import { getStatus } from './support/health.ts';
import { Load } from './support/load.ts';
import { quick, rounds } from './support/mode.ts';
import { Proxy } from './support/proxy.ts';
import { record, totals } from './support/results.ts';
import { createStore, readBack, usePostgres } from './support/store.ts';
import { ANSWER_WITHIN_MS, TIMEOUTS } from './support/timeouts.ts';

interface Fault {
  fault: string;
  harm: (proxy: Proxy) => void;
  /** Whether only the full form runs it. */
  onlyInFull?: true;
  /** Whether the fault makes the database unavailable. */
  total?: boolean;
}

const FAULTS: Fault[] = [
  { fault: 'latency of 50 ms each way', harm: (proxy) => proxy.set({ latencyMs: 50 }) },
  { fault: 'black hole in both directions', total: true, harm: (proxy) => proxy.set({ blackHole: true }) },
  { fault: 'every connection is reset', total: true, harm: (proxy) => proxy.reset() },
  {
    fault: 'a tenth of the responses is interrupted',
    harm: (proxy) =>
      proxy.set({ cutAt: ({ length }) => (Math.random() < 0.1 ? Math.floor(length / 2) : -1) }, ['toClient']),
  },
  {
    fault: 'the response to every commit is lost',
    harm: (proxy) => proxy.set({ cutAt: (chunk) => chunk.indexOf('INSERT 0 ') }, ['toClient']),
  },
  {
    fault: '50 kB/s each way',
    onlyInFull: true,
    harm: (proxy) => proxy.set({ bytesPerSecond: 50_000 }),
  },
  {
    fault: 'packets of 16 bytes each way',
    onlyInFull: true,
    harm: (proxy) => proxy.set({ slicer: { bytes: 16, pauseMs: 1 } }),
  },
  {
    fault: 'black hole to the database',
    onlyInFull: true,
    total: true,
    harm: (proxy) => proxy.set({ blackHole: true }, ['toServer']),
  },
  {
    fault: 'black hole from the database',
    onlyInFull: true,
    total: true,
    harm: (proxy) => proxy.set({ blackHole: true }, ['toClient']),
  },
];

const postgres = usePostgres();

const FAULT_MS = rounds(6000, 1500);

test.each(FAULTS.filter(({ onlyInFull }) => !(quick && onlyInFull)))(
  'between service and database, $fault: 2xx or 503, and nothing is lost',
  async (given) => {
    const { DATABASE_URL, key } = await createStore(postgres.server);
    const proxy = await Proxy.to(DATABASE_URL);
    onTestFinished(() => proxy.close());
    const { url, stop } = await startServiceProcess({
      DATABASE_URL: proxy.rewrite(DATABASE_URL),
      ...TIMEOUTS,
    });
    const load = Load.start({ url, key }, { answerWithinMs: ANSWER_WITHIN_MS });
    await load.untilSucceeded(300);

    given.harm(proxy);
    if (given.total) await expect.poll(() => getStatus(url, 'ready'), { timeout: 20_000 }).toBe(503);
    await sleep(FAULT_MS);
    expect(await getStatus(url, 'live')).toBe(200);
    if (given.total) expect(await getStatus(url, 'ready')).toBe(503);
    proxy.heal();
    const recoveryMs = await load.untilHealthy(performance.now());
    expect(await getStatus(url, 'ready')).toBe(200);

    const ledger = await load.stop();
    expect(await stop()).toMatchObject({ code: 0, stderr: '' });
    const verdict = ledger.judge(await readBack({ DATABASE_URL }));
    record(
      {
        fault: `network: ${given.fault}`,
        requestsPerSecond: load.requestsPerSecond,
        recoveryMs,
        ...totals(ledger, verdict),
      },
      postgres.version,
    );
    expect(verdict).toEqual({ lost: 0, wrong: 0, examples: [] });
  },
);
