import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PinoLogger } from 'nestjs-pino';

import { CONFIG, type Config } from '../../config/config.js';
import type { Tracing } from './tracing.js';

/** How long a stop waits for the collector, and at most this part of the time that it has. */
const MAX_FLUSH_MS = 2000;
const FLUSH_SHARE = 0.25;

/** Traces the requests where OTEL_EXPORTER_OTLP_ENDPOINT names a collector, and loads what does so only there. */
@Injectable()
export class TracingService implements OnApplicationBootstrap, OnApplicationShutdown {
  private tracing: Tracing | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
    private readonly logger: PinoLogger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // A command has no server, whose requests could be traced.
    const adapter = this.adapterHost.httpAdapter as HttpAdapterHost['httpAdapter'] | null;
    if (this.config.otlpEndpoint === undefined || !adapter) return;
    const { Tracing } = await import('./tracing.js');
    this.tracing = new Tracing(adapter.getHttpServer() as Server, this.config, this.logger);
  }

  /** Sends what has not been sent. A collector that is away holds up no stop. */
  async onApplicationShutdown(): Promise<void> {
    if (!this.tracing) return;
    const limitMs = Math.min(MAX_FLUSH_MS, this.config.shutdownTimeoutMs * FLUSH_SHARE);
    await Promise.race([this.tracing.stop(), sleep(limitMs, undefined, { ref: false })]);
  }
}
