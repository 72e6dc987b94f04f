import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { MAX_PIPELINED_REQUESTS, MAX_UNSENT_BYTES } from '../limits.js';

/** The time in which a client may send the rest of a body after the response. */
const REST_TIMEOUT_MS = 2000;

/** The interval at which unread responses are measured. */
const CHECK_INTERVAL_MS = 1000;

/** The open connections of a server, and their responses in progress. */
export class Connections {
  /**
   * The responses in progress on each open connection. One set of all responses would keep them in memory until a full
   * garbage collection: V8 links the tables of a set when it replaces them.
   */
  private readonly responses = new Map<Socket, ServerResponse[]>();
  /** The connections that close with their next response. */
  private readonly closing = new WeakSet<Socket>();
  private lastActivityMs = 0;

  /** The number of open connections. */
  get count(): number {
    return this.responses.size;
  }

  /** The time since the last new connection or request. */
  get quietMs(): number {
    return performance.now() - this.lastActivityMs;
  }

  /** Whether a request has no complete response. */
  get hasResponses(): boolean {
    return [...this.responses.values()].some(({ length }) => length > 0);
  }

  /** The responses in progress on a connection, in the order of their requests. */
  responsesOn(socket: Socket): readonly ServerResponse[] {
    return this.responses.get(socket) ?? [];
  }

  /** Adds a connection until it closes. */
  add(socket: Socket): void {
    this.lastActivityMs = performance.now();
    this.responses.set(socket, []);
    socket.once('close', () => this.responses.delete(socket));
  }

  /**
   * Adds a response until it is complete.
   *
   * @returns the response to the request before this one, if it is not complete
   */
  track(request: IncomingMessage, response: ServerResponse): ServerResponse | undefined {
    this.lastActivityMs = performance.now();
    const responses = this.responses.get(request.socket) ?? [];
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
   * Closes each open connection with the next head of a response (RFC 9112, section 9.6). A connection that a client
   * opens afterwards stays open, because each further one could still wait for its acceptance when the listener closes.
   */
  closeWithResponses(): void {
    for (const [socket, responses] of this.responses) {
      this.closing.add(socket);
      for (const response of responses) if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  /**
   * Closes connections whose clients do not read their responses, and idle ones. The connection of a slow handler stays
   * open.
   */
  closeStalled(server: Server, timeoutMs: number): void {
    server.setTimeout(timeoutMs, (socket) => {
      if (this.responsesOn(socket).length > 0 && socket.writableLength === 0) socket.setTimeout(timeoutMs);
      else socket.destroy();
    });
    // Received data restarts the timeout of its connection, so none is read while the client does not read responses.
    const timer = setInterval(() => {
      let unsentBytes = 0;
      for (const socket of this.responses.keys()) {
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
    const sockets = [...this.responses.keys()].sort((a, b) => b.writableLength - a.writableLength);
    for (const socket of sockets) {
      if (excessBytes <= 0) return;
      excessBytes -= socket.writableLength;
      socket.destroy();
    }
  }
}
