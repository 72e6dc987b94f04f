import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { BadRequestException, type NestApplicationOptions, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Response, Router } from 'express';

import type { Config } from '../config/config.js';
import { stringifyJson } from '../domain/json.js';
import { MAX_PIPELINED_REQUESTS, MAX_UNSENT_BYTES } from '../limits.js';
import { normalizeTarget, PUBLIC_URL } from './addresses.js';
import { type ClientError, errorOf, refuse } from './client-error.js';
import { createExpress } from './express.js';
import { refuseUnknownPath } from './fallback-routes.js';

/** The interval at which Node checks the timeouts of requests. */
const CHECK_INTERVAL_MS = 1000;

/**
 * The maximum time for which the service answers further requests after a signal to stop. A load balancer sends them
 * until its health checks find that the service is not ready.
 */
const DRAIN_TIMEOUT_MS = 3000;

/** The time without new connections and requests after which no client is expected to send one. */
const QUIET_MS = 500;

/** The time for requests that clients have sent before they could notice the end of the connection. */
const GRACE_MS = 500;

/** The time in which a client may send the rest of a body after the response. */
const REST_TIMEOUT_MS = 2000;

const POLL_INTERVAL_MS = 20;

/**
 * Nest's Express adapter with a server that enforces the limits of the configuration, writes exact integers, and stops
 * without losing requests.
 */
export class PetstoreAdapter extends ExpressAdapter {
  /**
   * The responses in progress on each open connection. One set of all responses would keep them in memory until a full
   * garbage collection: V8 links the tables of a set when it replaces them.
   */
  private readonly connections = new Map<Socket, ServerResponse[]>();
  /** The routes behind those of the controllers: pages, documents, and the responses to unsupported methods. */
  readonly fallback = Router({ caseSensitive: true, strict: true });
  /** Adds routes to {@link fallback} when all routes of controllers are known. */
  addFallbackRoutes: () => void = () => undefined;
  /** Whether the next close drains the connections first. */
  drainsOnClose = false;
  private config: Config | undefined;
  private lastActivityMs = 0;
  /** The connections that close with their next response. */
  private readonly closing = new WeakSet<Socket>();

  constructor() {
    super(createExpress());
  }

  /** Applies the configuration. A provider calls it, because Nest creates the providers before the server. */
  configure(config: Config): void {
    this.config = config;
    this.set('trust proxy', config.trustProxy ?? false);
    this.set(PUBLIC_URL, config.publicUrl);
  }

  override initHttpServer({ httpsOptions }: NestApplicationOptions = {}): void {
    const { config } = this;
    if (httpsOptions)
      throw new Error('The service has no TLS of its own. Let a reverse proxy terminate TLS.');
    if (!config) throw new Error('The application does not import PetstoreModule.forRoot(…).');
    const server = createServer({
      maxHeaderSize: config.headersLimitBytes,
      headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
      requestTimeout: config.requestTimeoutMs,
      keepAliveTimeout: config.keepAliveTimeoutMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // The application rejects a missing or repeated Host header with an Error body.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    });
    server.maxConnections = config.maxConnections;
    // Their size limits the number of the headers. Node would report a further limit with the same error.
    server.maxHeadersCount = 0;
    const isSecure = config.publicUrl?.startsWith('https:') ?? false;
    const handle = this.getInstance<(request: IncomingMessage, response: ServerResponse) => void>();
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      const earlier = this.track(request, response);
      request.url = normalizeTarget(request.url ?? '/');
      const handleIfOpen = () => request.socket.writable && handle(request, response);
      // Pipelined requests wait for each other, so that only one response of a connection takes memory at a time, and
      // other connections have their turns in between.
      if (earlier) earlier.once('close', () => setImmediate(handleIfOpen));
      else handle(request, response);
    };
    server
      .on('request', listener)
      // A guard invites the body, or a response refuses it.
      .on('checkContinue', listener)
      .on('checkExpectation', listener)
      .on('connection', (socket: Socket) => {
        this.lastActivityMs = performance.now();
        this.connections.set(socket, []);
        socket.once('close', () => this.connections.delete(socket));
      })
      // CONNECT asks a proxy to open a tunnel (RFC 9110, section 9.3.6).
      .on('connect', (_request: IncomingMessage, socket: Socket) => {
        socket.on('error', () => socket.destroy()).resume();
        refuse(socket, new BadRequestException('This service is not a proxy.'), isSecure);
      })
      .on('clientError', (error: ClientError, socket: Socket) => {
        const responses = this.responsesOn(socket);
        const earlier = responses.findLast(({ req, headersSent }) => req.complete && !headersSent);
        // A client that has sent nothing could read an error as the response to its first request.
        if (error.code === 'ECONNRESET' || socket.bytesRead === 0) socket.destroy();
        // A client would read the error as the response to its earlier request.
        else if (earlier) earlier.setHeader('Connection', 'close');
        else if (responses.some(({ headersSent }) => headersSent)) socket.destroySoon();
        else refuse(socket, errorOf(error, config.headersLimitBytes), isSecure);
      });
    this.closeStalledConnections(server, config.responseStallTimeoutMs);
    this.httpServer = server;
  }

  /**
   * Adds the fallback routes. Nest calls it after it has registered the controllers and initialised the modules.
   *
   * @throws Error when the application has a global prefix, which the documents and `Link` do not contain
   */
  override setNotFoundHandler(_handler: unknown, prefix?: string): void {
    if (prefix) {
      throw new Error(
        `The service does not support setGlobalPrefix('${prefix}'). Let a reverse proxy remove the prefix, and set PUBLIC_URL.`,
      );
    }
    this.addFallbackRoutes();
    this.use(this.fallback, refuseUnknownPath);
  }

  /** Replies with an object as JSON. Concurrent requests with the same object share its text. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-store');
    const status = statusCode ?? response.statusCode;
    const hasJson = typeof body === 'object' && body !== null && !(body instanceof Error);
    if (!hasJson || status === 204 || status === 304) return super.reply(response, body, statusCode);
    if (body instanceof StreamableFile) return this.replyWithFile(response, body, statusCode);
    const text = stringifyJson(body);
    response.statusCode = status;
    if (!response.hasHeader('Content-Type')) {
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
    }
    response.setHeader('Content-Length', Buffer.byteLength(text));
    return response.end(text);
  }

  // Nest awaits it, although the type of the Express adapter has no promise.
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  override async beforeClose(): Promise<void> {
    super.beforeClose();
    this.closeConnectionsWithResponses();
    if (!this.drainsOnClose) return;
    const timeoutMs = Math.min(DRAIN_TIMEOUT_MS, (this.config?.shutdownTimeoutMs ?? DRAIN_TIMEOUT_MS) / 2);
    await this.waitFor(() => performance.now() - this.lastActivityMs > QUIET_MS, timeoutMs);
  }

  /** Accepts no new connections. Resolves when every request is answered. */
  override async close(): Promise<void> {
    const server = this.httpServer as Server;
    this.closeConnectionsWithResponses();
    // The method of HTTP servers would also cut idle connections on which a request is under way.
    const closed = server.listening ? once(server, 'close') : undefined;
    NetServer.prototype.close.call(server);
    if (this.drainsOnClose) await this.waitFor(() => this.connections.size === 0, GRACE_MS);
    while ([...this.connections.values()].some(({ length }) => length > 0)) await sleep(POLL_INTERVAL_MS);
    server.closeAllConnections();
    await closed;
  }

  /** @returns the response to the request before this one, if it is not complete */
  private track(request: IncomingMessage, response: ServerResponse): ServerResponse | undefined {
    this.lastActivityMs = performance.now();
    const responses = this.responsesOn(request.socket);
    responses.push(response);
    if (responses.length > MAX_PIPELINED_REQUESTS) request.socket.destroy();
    // Node loses what follows a request with Upgrade.
    if (this.closing.has(request.socket) || request.headers.upgrade !== undefined) {
      response.setHeader('Connection', 'close');
    }
    response.once('close', () => {
      responses.splice(responses.indexOf(response), 1);
      // Node discards the rest of a body, so that the client can read the response.
      if (!request.complete) {
        setTimeout(() => {
          if (!request.complete) request.socket.destroy();
        }, REST_TIMEOUT_MS).unref();
      }
    });
    return responses.at(-2);
  }

  /**
   * Closes connections whose clients do not read their responses, and idle ones. The connection of a slow handler stays
   * open.
   */
  private closeStalledConnections(server: Server, timeoutMs: number): void {
    server.setTimeout(timeoutMs, (socket) => {
      if (this.responsesOn(socket).length > 0 && socket.writableLength === 0) socket.setTimeout(timeoutMs);
      else socket.destroy();
    });
    // Received data restarts the timeout of its connection, so none is read while the client does not read responses.
    const timer = setInterval(() => {
      let unsentBytes = 0;
      for (const socket of this.connections.keys()) {
        unsentBytes += socket.writableLength;
        if (socket.writableNeedDrain && !socket.isPaused())
          socket.pause().once('drain', () => socket.resume());
      }
      if (unsentBytes > MAX_UNSENT_BYTES) this.closeLargest(unsentBytes - MAX_UNSENT_BYTES);
    }, CHECK_INTERVAL_MS);
    server.once('close', () => clearInterval(timer));
  }

  /** Closes the connections with the most unread bytes: as many as have `excessBytes` together. */
  private closeLargest(excessBytes: number): void {
    const sockets = [...this.connections.keys()].sort((a, b) => b.writableLength - a.writableLength);
    for (const socket of sockets) {
      if (excessBytes <= 0) return;
      excessBytes -= socket.writableLength;
      socket.destroy();
    }
  }

  /**
   * Closes each open connection with the next head of a response (RFC 9112, section 9.6). A connection that a client
   * opens afterwards stays open, because each further one could still wait for its acceptance when the listener closes.
   */
  private closeConnectionsWithResponses(): void {
    for (const [socket, responses] of this.connections) {
      this.closing.add(socket);
      for (const response of responses) if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  private responsesOn(socket: Socket): ServerResponse[] {
    return this.connections.get(socket) ?? [];
  }

  private async waitFor(condition: () => boolean, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!condition() && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
  }

  /** Sends a file. One that fails before its first byte is an error like any other. */
  private async replyWithFile(response: Response, file: StreamableFile, statusCode?: number): Promise<void> {
    const stream = file.getStream();
    if (stream.errored) throw stream.errored;
    if (!stream.readableEnded && stream.readableLength === 0) {
      const events = ['readable', 'end', 'close'].map((name) => once(stream, name));
      await Promise.race([...events, once(response, 'close')]);
    }
    if (stream.destroyed && !stream.readableEnded) throw new Error('the stream of the file is closed');
    super.reply(response, file, statusCode);
  }
}
