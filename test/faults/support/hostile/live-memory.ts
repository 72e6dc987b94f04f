import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { vi } from 'vitest';

import type { ServiceProcess } from '../../../support/process.ts';

const PROBE = new URL('live-memory-probe.ts', import.meta.url).href;

/**
 * Weighs what a process of the service still refers to: what is left of its heap, and of the buffers that hang
 * on it, after a full collection of garbage. Unlike resident memory, it does not depend on when garbage was
 * collected last, nor on how much of it the allocator keeps for later.
 */
export class LiveMemory {
  private readonly directory = mkdtempSync(join(tmpdir(), 'petstore-memory-'));
  private readonly file = join(this.directory, 'bytes');

  /** What the process is to be started with. */
  readonly environment = {
    NODE_OPTIONS: `--expose-gc --import=${PROBE}`,
    LIVE_MEMORY_FILE: this.file,
  };

  async weighMebibytes(service: Pick<ServiceProcess, 'signal'>): Promise<number> {
    await rm(this.file, { force: true });
    service.signal('SIGUSR2');
    const bytes = await vi.waitFor(() => readFile(this.file, 'utf8'), { timeout: 20_000, interval: 20 });
    return Number(bytes) / 2 ** 20;
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }
}
