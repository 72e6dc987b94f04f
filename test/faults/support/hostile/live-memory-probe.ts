import { renameSync, writeFileSync } from 'node:fs';
import { createHistogram, type Histogram, monitorEventLoopDelay } from 'node:perf_hooks';

import type { Vitals } from './live-memory.ts';

// A process imports this module before its program (`--import`). It reports on SIGUSR2 and at the end of the process.

const file = process.env['LIVE_MEMORY_FILE'] ?? '';
const delays = monitorEventLoopDelay({ resolution: 1 });
const turns = createHistogram();
let residentBytes = 0;
delays.enable();

/** The CPU time until the last turn of the event loop. The first turn imports the program, which does not count. */
let before: NodeJS.CpuUsage | undefined;
// While the event loop is busy, the timer runs once in each turn.
setInterval(() => {
  const now = process.threadCpuUsage();
  if (before) turns.record(1000 * Math.max(1, now.user - before.user + now.system - before.system));
  before = now;
}, 1).unref();

setInterval(() => (residentBytes = Math.max(residentBytes, process.memoryUsage.rss())), 10).unref();

function read(): Vitals {
  const [delay, turn] = [summaryOf(delays), summaryOf(turns)];
  const peakResidentMebibytes = Math.max(residentBytes, process.memoryUsage.rss()) / 2 ** 20;
  globalThis.gc?.();
  // Some external memory is released only after its owner is collected.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return { delay, turn, peakResidentMebibytes, liveMebibytes: (heapUsed + external) / 2 ** 20 };
}

function summaryOf(nanoseconds: Histogram): Vitals['delay'] {
  return { p99Ms: nanoseconds.percentile(99) / 1e6, longestMs: nanoseconds.max / 1e6 };
}

function report(vitals: Vitals): void {
  writeFileSync(`${file}.part`, JSON.stringify(vitals));
  renameSync(`${file}.part`, file);
}

process.on('SIGUSR2', () => {
  const vitals = read();
  // The garbage collection above does not count.
  setTimeout(() => {
    before = undefined;
    delays.reset();
    turns.reset();
    residentBytes = 0;
    report(vitals);
  }, 20);
});

process.on('exit', () => report(read()));
