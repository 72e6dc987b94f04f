import { setTimeout as sleep } from 'node:timers/promises';

import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

import { CONFIG, type Config } from '../../config/config.js';
import { logDiagnostics } from './diagnostics.js';

/** The maximum time that a shutdown waits for the collector, and the maximum share of the shutdown timeout. */
const MAX_FLUSH_MS = 2000;
const FLUSH_SHARE = 0.25;

/** Connects OpenTelemetry's SDK, which `register.ts` starts, to the log and to the shutdown of the service. */
@Injectable()
export class TracingService implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: PinoLogger,
  ) {}

  /** Logs the lines of the SDK, for example about an unavailable collector. */
  onModuleInit(): void {
    logDiagnostics((level, text) => this.logger[level]({ requestId: undefined }, text));
  }

  /** Exports the remaining spans. An unavailable collector delays the shutdown by at most the limit. */
  async onApplicationShutdown(): Promise<void> {
    if (this.config.otelExporterOtlpEndpoint === undefined) return;
    const { stopTracing } = await import('./tracing.js');
    const limitMs = Math.min(MAX_FLUSH_MS, this.config.shutdownTimeoutMs * FLUSH_SHARE);
    await Promise.race([stopTracing(), sleep(limitMs, undefined, { ref: false })]);
  }
}
