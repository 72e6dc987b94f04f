import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { collectDefaultMetrics, Registry } from 'prom-client';

import { CONFIG, type Config } from '../../config/config.js';
import { rethrowListenError } from '../../config/rethrow-listen-error.js';
import { hasHttpAdapter } from '../../http/has-http-adapter.js';
import { DatabaseMetrics } from './database.metrics.js';

/** Serves the metrics at `/metrics` on METRICS_PORT. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
    private readonly registry: Registry,
    private readonly databaseMetrics: DatabaseMetrics,
  ) {}

  /** The port of the server. Undefined if there is no server. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsHost, metricsPort } = this.config;
    if (metricsPort === undefined || !hasHttpAdapter(this.adapterHost)) return;
    collectDefaultMetrics({ register: this.registry });
    this.databaseMetrics.start();
    this.server = createServer(({ url }, response) => {
      if (url === '/metrics') void this.send(response);
      else response.writeHead(404).end();
    });
    const listening = once(this.server.listen(metricsPort, metricsHost), 'listening');
    await listening.catch(rethrowListenError('METRICS_HOST, METRICS_PORT'));
  }

  onApplicationShutdown(): void {
    this.databaseMetrics.stop();
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async send(response: ServerResponse): Promise<void> {
    try {
      const text = await this.registry.metrics();
      response.writeHead(200, { 'content-type': this.registry.contentType }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  }
}
