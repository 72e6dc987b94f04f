import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, NextFunction, Request, Response } from 'express';

import type { Config } from '../config/config.js';
import { createExpress } from './express.js';

/** How often Node looks for requests that take too long to arrive. */
const CHECK_INTERVAL_MS = 1000;

/** How long the service goes on answering requests on open connections after a signal to stop. */
const DRAIN_TIMEOUT_MS = 1000;

const POLL_INTERVAL_MS = 20;

/** Nest's Express adapter with a server that enforces the limits of the configuration and stops without losing requests. */
export class PetstoreAdapter extends ExpressAdapter {
  private requestsInFlight = 0;
  private isDraining = false;

  constructor(private readonly config: Config) {
    super(createExpress(config));
    this.use((_request: Request, response: Response, next: NextFunction) => {
      this.requestsInFlight++;
      if (this.isDraining) response.setHeader('Connection', 'close');
      response.once('close', () => this.requestsInFlight--);
      // Node emits this when the connection was idle for the timeout of the server. It destroys those without a request.
      response.on('timeout', (socket: Socket) => {
        if (socket.writableLength > 0) socket.destroy();
      });
      next();
    });
  }

  override initHttpServer(): void {
    const { config } = this;
    const server = createServer(
      {
        maxHeaderSize: config.headersLimitBytes,
        headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
        requestTimeout: config.requestTimeoutMs,
        keepAliveTimeout: config.keepAliveTimeoutMs,
        connectionsCheckingInterval: CHECK_INTERVAL_MS,
        // `checkRequest` refuses a missing or repeated header with an Error body.
        requireHostHeader: false,
        joinDuplicateHeaders: true,
      },
      this.getInstance<Express>(),
    );
    server.maxConnections = config.maxConnections;
    server.timeout = config.responseStallTimeoutMs;
    this.httpServer = server;
  }

  /** Closes each connection with its next answer. Resolves when none is open, or after a second. */
  async drain(): Promise<void> {
    this.isDraining = true;
    const server = this.httpServer as Server;
    const countConnections = promisify(server.getConnections.bind(server));
    const deadline = performance.now() + DRAIN_TIMEOUT_MS;
    while ((await countConnections()) > 0 && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
  }

  /** Takes no new connections and resolves when every request is answered. */
  override async close(): Promise<void> {
    this.isDraining = true;
    const closed = super.close();
    while (this.requestsInFlight > 0) await sleep(POLL_INTERVAL_MS);
    (this.httpServer as Server).closeAllConnections();
    await closed;
  }
}
