import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Config } from '../config/config.js';
import { MAX_HELD_BYTES, MAX_PIPELINED_REQUESTS } from '../limits.js';
import { refusals } from '../metrics.js';
import { Connection, REFUSAL } from './connection.js';
import { discardBody } from './discard-body.js';
import type { JoinedRequest } from './joined-request.js';

/** The time in which a client may send the rest of a body after the response. */
export const REST_TIMEOUT_MS = 2000;

/** The interval at which the memory of all connections is measured: no event announces the parts of a head. */
const MEASURE_INTERVAL_MS = 100;

/** The number of received bytes after which it is measured at once. */
const MEASURED_BYTES = 4 * 1024 ** 2;

/** Connections end until the others hold less than this, so that the next ones have room. */
const RELIEVED_BYTES = 0.9 * MAX_HELD_BYTES;

/** The open connections of a server, with their responses in progress and the memory that they hold. */
export class Connections {
  /**
   * The responses belong to their connections. One set of all responses would keep them in memory until a full garbage
   * collection: V8 links the tables of a set when it replaces them.
   */
  private readonly open = new Map<Socket, Connection>();
  /** The connections that close with their next response. */
  private readonly closing = new WeakSet<Socket>();
  private lastActivityMs = 0;
  private unmeasuredBytes = 0;

  constructor(private readonly config: Config) {}

  get count(): number {
    return this.open.size;
  }

  get quietMs(): number {
    return performance.now() - this.lastActivityMs;
  }

  get hasResponses(): boolean {
    return this.open.values().some(({ responses }) => responses.length > 0);
  }

  /** The responses in progress on a connection, in the order of their requests. */
  responsesOn(socket: Socket): readonly ServerResponse[] {
    return this.open.get(socket)?.responses ?? [];
  }

  /** Adds a connection until it closes. */
  add(socket: Socket): void {
    this.lastActivityMs = performance.now();
    this.open.set(socket, new Connection(socket));
    socket.once('close', () => this.open.delete(socket));
  }

  /**
   * Adds a response until it is complete.
   *
   * @returns the response to the request before this one, if it is not complete
   */
  track(request: JoinedRequest, response: ServerResponse): ServerResponse | undefined {
    const { socket } = request;
    const connection = this.open.get(socket) ?? new Connection(socket);
    const { responses } = connection;
    this.received(connection.add(response));
    request.counter = this;
    this.lastActivityMs = connection.activeAt;
    if (responses.length > MAX_PIPELINED_REQUESTS) socket.destroy();
    // Node loses what follows a request with Upgrade.
    if (this.closing.has(socket) || request.headers.upgrade !== undefined) {
      response.setHeader('Connection', 'close');
    }
    response.once('close', () => {
      connection.remove(response);
      // A handler that still waits would keep a body in memory that it has not read.
      if (request.readableLength > 0) discardBody(request);
      // Node discards the rest of a body, so that the client can read the response.
      if (!request.complete) {
        setTimeout(() => {
          if (!request.complete) socket.destroy();
        }, REST_TIMEOUT_MS).unref();
      }
    });
    return responses.at(-2);
  }

  /** Counts received bytes. When clients hold too much memory, the oldest requests end. */
  received(bytes: number): void {
    this.unmeasuredBytes += bytes;
    if (this.unmeasuredBytes > MEASURED_BYTES) this.measure();
  }

  /**
   * Closes each open connection with the next head of a response (RFC 9112, section 9.6). A connection that a client
   * opens afterwards stays open, because each further one could still wait for its acceptance when the listener closes.
   */
  closeWithResponses(): void {
    for (const [socket, { responses }] of this.open) {
      this.closing.add(socket);
      for (const response of responses) if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  /** Refuses the bodies that have not arrived in time behind their heads. */
  refuseUnfinished(): void {
    const startedBefore = performance.now() - REST_TIMEOUT_MS;
    for (const { activeAt, responses } of this.open.values()) {
      const [response] = responses;
      if (activeAt < startedBefore && response && !response.req.complete) {
        response.req.emit(REFUSAL, new Error('the service stops'));
      }
    }
  }

  /**
   * Closes connections whose clients do not read their responses, idle ones, and those that hold too much memory. The
   * connection of a slow handler stays open.
   */
  watch(server: Server): void {
    const timeoutMs = this.config.responseStallTimeoutMs;
    server.setTimeout(timeoutMs, (socket) => {
      if (this.responsesOn(socket).length > 0 && socket.writableLength === 0) socket.setTimeout(timeoutMs);
      else socket.destroy();
    });
    const timer = setInterval(() => {
      // Received data restarts the timeout of its connection, so none is read while the client does not read responses.
      for (const socket of this.open.keys()) {
        if (socket.writableNeedDrain && !socket.isPaused())
          socket.pause().once('drain', () => socket.resume());
      }
      this.measure();
    }, MEASURE_INTERVAL_MS);
    server.once('close', () => clearInterval(timer));
    // A socket that an upgrade takes over, such as that of a WebSocket, holds nothing of the service. Node only emits the
    // event if the application has a listener.
    server.once('listening', () => {
      if (server.listenerCount('upgrade') > 0) server.on('upgrade', ({ socket }) => this.open.delete(socket));
    });
  }

  private measure(): void {
    this.unmeasuredBytes = 0;
    let heldBytes = 0;
    for (const connection of this.open.values()) heldBytes += connection.heldBytes(this.config);
    if (heldBytes > MAX_HELD_BYTES) this.relieve(heldBytes - RELIEVED_BYTES);
  }

  /** Ends the oldest requests whose clients hold memory, and then the oldest idle connections: `excessBytes` in total. */
  private relieve(excessBytes: number): void {
    const byAge = [...this.open.values()]
      .map((connection) => ({ connection, bytes: connection.heldBytes(this.config) }))
      .filter(({ connection, bytes }) => bytes > 0 && !connection.isRefused)
      .sort((a, b) => a.connection.activeAt - b.connection.activeAt);
    const requests = byAge.filter(({ connection }) => !connection.isIdle);
    const idle = byAge.filter(({ connection }) => connection.isIdle);
    for (const { connection, bytes } of [...requests, ...idle]) {
      if (excessBytes <= 0) return;
      excessBytes -= bytes;
      refusals.inc({ by: 'memory' });
      connection.end();
    }
  }
}
