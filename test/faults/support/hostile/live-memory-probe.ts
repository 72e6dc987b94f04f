import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { Vitals } from './live-memory.ts';

// A process imports this module before its program (`--import`). It reports on SIGUSR2 and at the end of the process.

const file = process.env['LIVE_MEMORY_FILE'] ?? '';
const delay = monitorEventLoopDelay({ resolution: 1 });
let residentBytes = 0;
delay.enable();
setInterval(() => (residentBytes = Math.max(residentBytes, process.memoryUsage.rss())), 10).unref();

function read(): Vitals {
  const [p999Ms, longestMs] = [delay.percentile(99.9) / 1e6, delay.max / 1e6];
  const peakResidentMebibytes = Math.max(residentBytes, process.memoryUsage.rss()) / 2 ** 20;
  globalThis.gc?.();
  // Some external memory is released only after its owner is collected.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return { p999Ms, longestMs, peakResidentMebibytes, liveMebibytes: (heapUsed + external) / 2 ** 20 };
}

function report(vitals: Vitals): void {
  writeFileSync(`${file}.part`, JSON.stringify(vitals));
  renameSync(`${file}.part`, file);
}

process.on('SIGUSR2', () => {
  const vitals = read();
  // Garbage collection does not count as a delay.
  setTimeout(() => {
    delay.reset();
    residentBytes = 0;
    report(vitals);
  }, 20);
});

process.on('exit', () => report(read()));
