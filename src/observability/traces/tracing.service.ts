import { setTimeout as sleep } from 'node:timers/promises';

import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';

/** The maximum time that a shutdown waits for the collector, and the maximum share of the shutdown timeout. */
const MAX_FLUSH_MS = 2000;
const FLUSH_SHARE = 0.25;

/** Exports the remaining spans when the service stops. `register.ts` starts OpenTelemetry's SDK. */
@Injectable()
export class TracingService implements OnApplicationShutdown {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** An unavailable collector delays the shutdown by at most the limit. */
  async onApplicationShutdown(): Promise<void> {
    if (this.config.otelExporterOtlpEndpoint === undefined) return;
    const { stopTracing } = await import('./tracing.js');
    const limitMs = Math.min(MAX_FLUSH_MS, this.config.shutdownTimeoutMs * FLUSH_SHARE);
    await Promise.race([stopTracing(), sleep(limitMs, undefined, { ref: false })]);
  }
}
