import { setTimeout as sleep } from 'node:timers/promises';

import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { PinoLogger } from 'nestjs-pino';

import { CONFIG, type Config } from '../../config/config.js';

/** How long a stop waits for the collector: this long, and at most this share of the shutdown timeout. */
const MAX_FLUSH_MS = 2000;
const FLUSH_SHARE = 0.25;

/** Connects OpenTelemetry's SDK, which `register.ts` starts, to the log and to the end of the service. */
@Injectable()
export class TracingService implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: PinoLogger,
  ) {}

  /** Logs the warnings of the SDK, such as that the collector is away. */
  onModuleInit(): void {
    if (this.config.otlpEndpoint === undefined) return;
    const { logger } = this;
    const ignore = () => undefined;
    diag.setLogger(
      {
        error: (message) => logger.error(`OpenTelemetry: ${message}`),
        warn: (message) => logger.warn(`OpenTelemetry: ${message}`),
        info: ignore,
        debug: ignore,
        verbose: ignore,
      },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
  }

  /** Exports what has not been exported. A collector that is away delays no stop for longer than the limit. */
  async onApplicationShutdown(): Promise<void> {
    if (this.config.otlpEndpoint === undefined) return;
    const { stopTracing } = await import('./tracing.js');
    const limitMs = Math.min(MAX_FLUSH_MS, this.config.shutdownTimeoutMs * FLUSH_SHARE);
    await Promise.race([stopTracing(), sleep(limitMs, undefined, { ref: false })]);
  }
}
