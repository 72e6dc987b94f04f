import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Config } from '../../config/config.js';
import { Connection } from './connection.js';

/** The interval at which connections are checked. */
const CHECK_INTERVAL_MS = 1000;

/** The maximum number of bytes of a body that are discarded after the response. */
const REST_LIMIT_BYTES = 4 * 1024 * 1024;

/** The timeout for the rest of a body after the response, and the interval at which it is checked. */
const REST_TIMEOUT_MS = 2000;
const REST_INTERVAL_MS = 20;

/** The open connections of a server. Closes those whose clients do not read, or go on sending after the response. */
export class Connections {
  private readonly connections = new Map<Duplex, Connection>();

  constructor(server: Server, config: Config) {
    server.on('connection', (socket: Socket) => {
      this.connections.set(socket, new Connection(socket));
      socket.once('close', () => this.connections.delete(socket));
    });
    const { responseStallTimeoutMs: timeoutMs } = config;
    const timer = setInterval(
      () => {
        for (const connection of this.connections.values()) connection.closeIfStalled(timeoutMs);
      },
      Math.min(timeoutMs, CHECK_INTERVAL_MS),
    );
    timer.unref();
    server.once('close', () => clearInterval(timer));
  }

  /** The number of open connections. */
  get size(): number {
    return this.connections.size;
  }

  /** Whether a request is being handled, or waits. */
  get haveRequests(): boolean {
    return this.connections.values().some(({ requestsInFlight }) => requestsInFlight > 0);
  }

  /** The response to the last request on a connection, unless it is closed. */
  findLastResponse(socket: Duplex): ServerResponse | undefined {
    return this.connections.get(socket)?.lastResponse;
  }

  /** Creates a listener for requests. It limits how many of a connection are handled at a time. */
  limit(handle: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.connections.get(request.socket);
      if (!connection) return;
      response.on('close', () => {
        connection.end(response);
        if (request.complete) return;
        if (response.getHeader('Connection') === 'close') request.socket.destroy();
        else void this.discardRest(request);
      });
      connection.start(response, () => handle(request, response));
    };
  }

  /**
   * Discards the rest of a body after the response, so that the client can read the response and reuse the connection.
   * Closes the connection when the rest is too long or takes too long.
   */
  private async discardRest(request: IncomingMessage): Promise<void> {
    const { socket } = request;
    const maxBytesRead = socket.bytesRead + REST_LIMIT_BYTES;
    const deadline = performance.now() + REST_TIMEOUT_MS;
    while (!request.complete && !socket.destroyed) {
      if (socket.bytesRead > maxBytesRead) socket.pause();
      if (performance.now() > deadline) socket.destroy();
      await sleep(REST_INTERVAL_MS);
    }
  }
}
