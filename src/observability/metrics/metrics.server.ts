import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import { CONFIG, type Config } from '../../config/config.js';
import { Database } from '../../database/database.js';
import type { Metrics } from './metrics.js';

/** Serves the metrics at `/metrics` of a port of their own, where METRICS_PORT names one. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private metrics: Metrics | undefined;
  private server: Server | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
    private readonly database: Database,
  ) {}

  /** The port that it listens on; undefined: it does not. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsHost, metricsPort } = this.config;
    // A command has no server, whose requests could be counted.
    const adapter = this.adapterHost.httpAdapter as HttpAdapterHost['httpAdapter'] | null;
    if (metricsPort === undefined || !adapter) return;
    const { Metrics } = await import('./metrics.js');
    const metrics = new Metrics(adapter.getHttpServer() as Server, this.database);
    this.metrics = metrics;
    this.server = createServer((request, response) => {
      if (request.url !== '/metrics') return void response.writeHead(404).end();
      metrics.read().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    await once(this.server.listen(metricsPort, metricsHost), 'listening');
  }

  onApplicationShutdown(): void {
    this.metrics?.stop();
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
