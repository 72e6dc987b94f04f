import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';

import type { Config } from '../config/config.js';
import { answerBrokenRequests } from './connections/broken-request.js';
import { Connections } from './connections/connections.js';
import { createExpress } from './express.js';

/** The interval at which Node checks the timeouts of requests. */
const CHECK_INTERVAL_MS = 1000;

/** The time for which the service answers further requests on open connections after a signal to stop. */
const DRAIN_TIMEOUT_MS = 1000;

const POLL_INTERVAL_MS = 20;

/**
 * Nest's Express adapter with a server that enforces the limits of the configuration and stops without losing requests.
 */
export class PetstoreAdapter extends ExpressAdapter {
  private connections: Connections | undefined;
  private isDraining = false;
  private drainsOnClose = false;

  constructor(private readonly config: Config) {
    super(createExpress(config));
  }

  override initHttpServer(): void {
    const { config } = this;
    const server = createServer({
      maxHeaderSize: config.headersLimitBytes,
      headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
      requestTimeout: config.requestTimeoutMs,
      keepAliveTimeout: config.keepAliveTimeoutMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // `checkRequest` rejects a missing or repeated Host header with an Error body.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    });
    server.maxConnections = config.maxConnections;
    const handle = this.getInstance<Express>();
    this.connections = new Connections(server, config);
    const listener = this.connections.limit((request, response) => {
      if (this.isDraining) response.setHeader('Connection', 'close');
      handle(request, response);
    });
    answerBrokenRequests(server, this.connections, config);
    this.httpServer = server.on('request', listener);
  }

  /** Makes the next close drain the connections first. */
  drainOnClose(): void {
    this.drainsOnClose = true;
  }

  // Nest awaits it, although the type of the Express adapter has no promise.
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  override async beforeClose(): Promise<void> {
    super.beforeClose();
    if (this.drainsOnClose) await this.drain();
  }

  /** Closes each connection with its next response. Resolves when no connection is open, or after a second. */
  private async drain(): Promise<void> {
    this.isDraining = true;
    const deadline = performance.now() + DRAIN_TIMEOUT_MS;
    while (this.connections?.size && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
  }

  /** Accepts no new connections. Resolves when every request is answered. */
  override async close(): Promise<void> {
    this.isDraining = true;
    const closed = super.close();
    while (this.connections?.haveRequests) await sleep(POLL_INTERVAL_MS);
    (this.httpServer as Server).closeAllConnections();
    await closed;
  }
}
