import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { vi } from 'vitest';

import type { ServiceProcess } from '../../../support/process.ts';

const PROBE = new URL('live-memory-probe.ts', import.meta.url).href;

/** The 99th percentile and the maximum. */
interface Distribution {
  p99Ms: number;
  longestMs: number;
}

/** The measurements of a process since its last report. */
export interface Vitals {
  /** The delay of the event loop, in samples of a millisecond. It includes the time without a processor. */
  delay: Distribution;
  /** The CPU time of a turn of the event loop, which does not depend on other processes. */
  turn: Distribution;
  /** The maximum resident memory, as the kernel reports it. */
  peakResidentMebibytes: number;
  /** The live memory after a full garbage collection. */
  liveMebibytes: number;
}

/**
 * Measures the live memory of a process: the heap and the external buffers after a full garbage collection. Unlike
 * resident memory, it depends neither on the time of the last collection nor on the allocator. Also measures how long
 * the event loop is blocked.
 */
export class LiveMemory {
  private readonly directory = mkdtempSync(join(tmpdir(), 'petstore-memory-'));
  private readonly file = join(this.directory, 'vitals.json');

  /** The options of Node for the process. The size of the young generation is that of `npm run start:prod`. */
  readonly environment: { NODE_OPTIONS: string; LIVE_MEMORY_FILE: string };

  /** @param options further options of Node for the process */
  constructor(options = '') {
    this.environment = {
      NODE_OPTIONS: `--expose-gc --max-semi-space-size=32 --import=${PROBE} ${options}`,
      LIVE_MEMORY_FILE: this.file,
    };
  }

  /** Reports the time since the last report. */
  async measure(service: Pick<ServiceProcess, 'signal'>): Promise<Vitals> {
    await rm(this.file, { force: true });
    service.signal('SIGUSR2');
    return vi.waitFor(() => this.read(), { timeout: 20_000, interval: 20 });
  }

  /** Returns the last report of a process, which it writes at its end. */
  async read(): Promise<Vitals> {
    return JSON.parse(await readFile(this.file, 'utf8')) as Vitals;
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }
}
