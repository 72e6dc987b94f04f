import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, register, Registry } from 'prom-client';

import { type Config, CONFIG } from '../../config/config.js';
import { rethrowListenError } from '../../config/config.errors.js';
import { Database } from '../../database/database.js';
import { HealthService } from '../../health/health.service.js';

/**
 * Serves the metrics of the process and of the application at `/metrics`, and the health checks, on METRICS_PORT. Its
 * listener is separate, so that clients who hold all connections of the service do not shut out the checks.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly registry: Registry,
    private readonly database: Database,
    private readonly health: HealthService,
  ) {}

  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsHost, metricsPort } = this.config;
    if (metricsPort === undefined) return;
    collectDefaultMetrics({ register: this.registry });
    measureLoad(this.registry, this.database);
    this.server = createServer(({ url }, response) => void this.answer(url?.replace(/\?.*/, ''), response));
    const listening = once(this.server.listen(metricsPort, metricsHost), 'listening');
    await listening.catch(rethrowListenError('METRICS_HOST, METRICS_PORT'));
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async answer(path: string | undefined, response: ServerResponse): Promise<void> {
    try {
      if (path === '/metrics') {
        response.setHeader('Content-Type', register.contentType);
        response.end((await register.metrics()) + (await this.registry.metrics()));
      } else if (path === '/health/live' || path === '/health/ready') {
        if (path === '/health/ready') await this.health.check();
        response.end('ok');
      } else {
        response.writeHead(404).end();
      }
    } catch {
      response.writeHead(503).end();
    }
  }
}

function measureLoad(registry: Registry, database: Database): void {
  new Gauge({
    name: 'petstore_database_connections',
    help: 'Open connections to the database, active and idle.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { connections, idleConnections } = database.load;
      this.set({ state: 'active' }, connections - idleConnections);
      this.set({ state: 'idle' }, idleConnections);
    },
  });
  new Gauge({
    name: 'petstore_database_waiting',
    help: 'Requests that wait for admission to the database, and requests that wait for a connection.',
    labelNames: ['for'],
    registers: [registry],
    collect() {
      const { waitingForTurn, waitingForConnection } = database.load;
      this.set({ for: 'turn' }, waitingForTurn);
      this.set({ for: 'connection' }, waitingForConnection);
    },
  });
}
