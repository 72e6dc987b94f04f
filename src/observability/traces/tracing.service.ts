import { setTimeout as sleep } from 'node:timers/promises';

import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

import { CONFIG, type Config } from '../../config/config.js';

/** The maximum time that a shutdown waits for the collector. */
const MAX_FLUSH_MS = 2000;

/** Exports the remaining spans when the service stops. `register.ts` starts OpenTelemetry's SDK. */
@Injectable()
export class TracingService implements OnApplicationShutdown {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** An unavailable collector delays the shutdown by at most the limit. */
  async onApplicationShutdown(): Promise<void> {
    if (this.config.otelExporterOtlpEndpoint === undefined) return;
    const { stopTracing } = await import('./tracing.js');
    await Promise.race([stopTracing(), sleep(MAX_FLUSH_MS, undefined, { ref: false })]);
  }
}
