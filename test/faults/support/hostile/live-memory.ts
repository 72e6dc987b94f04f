import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { vi } from 'vitest';

import type { ServiceProcess } from '../../../support/process.ts';

const PROBE = new URL('live-memory-probe.ts', import.meta.url).href;

/** What a process has measured since its last report. */
export interface Vitals {
  /** The delay of its event loop: the value that 99.9 % of the samples, one a millisecond, do not exceed. */
  p999Ms: number;
  /** The longest delay of its event loop. */
  longestMs: number;
  /** The most memory that it held, as the kernel counts it. */
  peakResidentMebibytes: number;
  /** What it still refers to after a full collection of garbage. */
  liveMebibytes: number;
}

/**
 * Weighs what a process of the service still refers to: what is left of its heap, and of the buffers that hang
 * on it, after a full collection of garbage. Unlike resident memory, it does not depend on when garbage was
 * collected last, nor on how much of it the allocator keeps for later. Also measures the delay of its event loop.
 */
export class LiveMemory {
  private readonly directory = mkdtempSync(join(tmpdir(), 'petstore-memory-'));
  private readonly file = join(this.directory, 'vitals.json');

  /** What the process is to be started with. The size of the young generation is that of `npm run start:prod`. */
  readonly environment = {
    NODE_OPTIONS: `--expose-gc --max-semi-space-size=16 --import=${PROBE}`,
    LIVE_MEMORY_FILE: this.file,
  };

  async weighMebibytes(service: Pick<ServiceProcess, 'signal'>): Promise<number> {
    return (await this.measure(service)).liveMebibytes;
  }

  /** Measures the time since the last measurement. */
  async measure(service: Pick<ServiceProcess, 'signal'>): Promise<Vitals> {
    await rm(this.file, { force: true });
    service.signal('SIGUSR2');
    return vi.waitFor(() => this.read(), { timeout: 20_000, interval: 20 });
  }

  /** The last report of a process. It writes one when it ends. */
  async read(): Promise<Vitals> {
    return JSON.parse(await readFile(this.file, 'utf8')) as Vitals;
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }
}
