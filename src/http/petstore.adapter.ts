import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { parse as parseQuery } from 'node:querystring';
import { setTimeout as sleep } from 'node:timers/promises';

import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';

import type { Config } from '../config/config.js';
import { stringifyJson } from '../domain/json.js';
import { Page } from '../domain/page.js';
import { MethodNotAllowed, PathNotFound } from './http-errors.js';
import { BODY_LIMIT } from './json-body.decorator.js';
import { createLimitedServer } from './limited-server.js';
import { layersOf } from './way.js';
import { bodyOf, linkToNext } from './written-page.js';

/** How long a connection without a request stays open when the service stops. */
const DRAIN_MS = 1000;

/** Express as this service wants it: exact paths, exact integers, and an Error body for every unmatched request. */
export class PetstoreAdapter extends ExpressAdapter {
  constructor(private readonly config: Config) {
    const app = express();
    app.enable('case sensitive routing');
    app.enable('strict routing');
    app.disable('x-powered-by');
    app.disable('etag');
    // All parameters are read: their number is bounded by the size of the headers.
    app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));
    app.set('trust proxy', config.trustProxy ?? false);
    app.set(BODY_LIMIT, config.bodyLimitBytes);
    super(app);
  }

  private serveBeside: () => void = () => undefined;
  private stopping = false;
  private readonly sockets = new Set<Socket>();

  /** Registers routes behind those of the controllers, which are asked for more often, and so matched first. */
  beside(register: () => void): void {
    this.serveBeside = register;
  }

  /** Writes what a handler returned: a page as its items, with the link to the next one, and the rest as JSON. */
  override reply(response: Response, body: Page<object> | object | undefined, statusCode?: number): void {
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (this.stopping) response.shouldKeepAlive = false;
    if (body instanceof Page && body.nextAfter !== undefined) {
      response.setHeader('Link', linkToNext(body, response.req.originalUrl, body.nextAfter));
    }
    if (body === undefined) {
      response.end();
      return;
    }
    const { text, encoding } = body instanceof Page ? bodyOf(body) : { text: stringifyJson(body) };
    response.setHeader('Content-Type', 'application/json');
    // Node tells the length of a text that is sent at once, but not to HEAD, nor in HTTP/1.0.
    const { method, httpVersion } = response.req;
    if (method === 'HEAD' || httpVersion !== '1.1') {
      response.setHeader('Content-Length', Buffer.byteLength(text));
    }
    response.end(text, encoding ?? 'utf8');
  }

  /**
   * Answers what no route took, wherever the path lies: 204 to OPTIONS and 405 where another method
   * would do, both with `Allow`; 404 elsewhere.
   */
  override setNotFoundHandler(): void {
    this.serveBeside();
    this.use((request: Request, response: Response, next: NextFunction) => {
      const allowed = this.methodsAt(request.path);
      if (allowed.length === 0) {
        next(new PathNotFound());
        return;
      }
      if (request.method !== 'OPTIONS') {
        next(new MethodNotAllowed(allowed));
        return;
      }
      response.setHeader('Allow', allowed.join(', '));
      response.writeHead(204).end();
    });
  }

  /** Leaves errors as they are: the error filter knows them all. */
  override mapException(error: unknown): unknown {
    return error;
  }

  /**
   * Takes no new connection, and leaves the open ones to their clients for a moment: a request may be
   * under way on any of them, which would be lost. Each answer closes its connection. Resolves when
   * all are closed, or the moment is over.
   */
  async drain(): Promise<void> {
    this.stopping = true;
    // Not the `close` of an HTTP server, which destroys the connections that are idle.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(this.httpServer, resolve));
    await Promise.race([closed, sleep(DRAIN_MS)]);
  }

  override beforeClose(): void {
    this.stopping = true;
    super.beforeClose();
  }

  override initHttpServer(): void {
    const server = createLimitedServer(this.config, this.getInstance<Express>());
    this.httpServer = server;
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Resolves when every request that was taken is answered. */
  override async close(): Promise<void> {
    const closed = super.close();
    const closing = setInterval(() => this.closeUnused(), 50);
    await closed;
    clearInterval(closing);
  }

  /** Closes what Node leaves open: connections that turned idle after the close, and those that never sent anything. */
  private closeUnused(): void {
    (this.httpServer as Server).closeIdleConnections();
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  private methodsAt(path: string): string[] {
    const routes = layersOf(this.getInstance()).flatMap((layer) =>
      layer.route && layer.match(path) ? [layer.route] : [],
    );
    const methods = new Set(routes.flatMap((route) => Object.keys(route.methods)));
    if (methods.has('get')) methods.add('head');
    return [...methods].map((method) => method.toUpperCase()).sort();
  }
}
