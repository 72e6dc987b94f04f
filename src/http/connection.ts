import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Config } from '../config/config.js';
import { discardBody } from './discard-body.js';

/** The event that refuses the body that is being received. Its argument is the reason, an Error. */
export const REFUSAL = Symbol('refusal');

/** The memory of an open connection, and of a request in progress, beside their texts. */
const CONNECTION_BYTES = 6 * 1024;
const REQUEST_BYTES = 12 * 1024;

/** The text of a request exists up to this often: as it arrived, and copied together. */
const COPIES = 2;

/** An open connection, and what its client makes the process hold. */
export class Connection {
  /** The responses in progress, in the order of their requests. */
  readonly responses: ServerResponse[] = [];
  /** The time of the last request, or else of the connection. */
  activeAt = performance.now();
  /** The bytes that were read up to the last head of a request, and those before the text that is still held. */
  private headBytes = 0;
  private startBytes = 0;
  /** The bytes that were read when the last response was complete. */
  private doneBytes = 0;
  /** The response of the request that {@link end} has refused. */
  private refused: ServerResponse | undefined;

  constructor(readonly socket: Socket) {}

  /** Adds the response to a request whose head has arrived. Returns the number of bytes that were read since the last one. */
  add(response: ServerResponse): number {
    const { bytesRead } = this.socket;
    const newBytes = bytesRead - this.headBytes;
    // The piece with the last head can also contain the beginning of this one, so at least the length of this one counts.
    if (this.responses.length === 0 && newBytes > 0) {
      this.startBytes = Math.min(this.headBytes, bytesRead - lengthOfHead(response.req));
    }
    this.headBytes = bytesRead;
    this.activeAt = performance.now();
    this.responses.push(response);
    return newBytes;
  }

  /** Removes a response that is complete. */
  remove(response: ServerResponse): void {
    this.responses.splice(this.responses.indexOf(response), 1);
    this.doneBytes = this.socket.bytesRead;
  }

  /** Whether nothing has arrived since the last response. What arrived before it may contain the next request. */
  get isIdle(): boolean {
    return this.responses.length === 0 && this.socket.bytesRead === this.doneBytes;
  }

  /** Whether it is the turn of the client: to send a request or the rest of it, or to read a response. */
  get waitsForClient(): boolean {
    const [response, ...others] = this.responses;
    if (!response || others.length > 0 || !response.req.complete) return true;
    return this.socket.writableLength > 0;
  }

  /**
   * Returns an upper bound of the memory that the client makes the process hold: none while the service works on its
   * request and has parsed the body, because the queues in front of the database bound that. A request whose response has
   * begun has no text.
   */
  heldBytes({ headersLimitBytes, bodyLimitBytes }: Config): number {
    if (this.socket.destroyed) return 0;
    const request = this.responses[0]?.req;
    if (!this.waitsForClient && !request?.readableLength && !request?.listenerCount(REFUSAL)) return 0;
    const { bytesRead, writableLength } = this.socket;
    const requests = this.responses.filter(
      (response) => !response.headersSent && response !== this.refused,
    ).length;
    const bytes = bytesRead - this.startBytes;
    const textBytes =
      this.responses.length === 0
        ? Math.min(bytes, headersLimitBytes)
        : COPIES * Math.min(bytes, requests * (headersLimitBytes + bodyLimitBytes));
    return CONNECTION_BYTES + requests * REQUEST_BYTES + textBytes + writableLength;
  }

  /** Whether {@link end} has refused its request. */
  get isRefused(): boolean {
    return this.refused !== undefined && this.refused === this.responses[0];
  }

  /** Refuses the body that is being received with 503, or ends the connection. */
  end(): void {
    const [response] = this.responses;
    if (response?.req.emit(REFUSAL, new Error('clients hold too much memory'))) this.refused = response;
    else {
      this.socket.destroy();
      // The requests end in the next turn of the event loop. Until then, Node can read many other connections.
      for (const { req } of this.responses) discardBody(req);
    }
  }
}

/** Returns the number of bytes of a head with a space behind each colon. */
function lengthOfHead({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  const bytes = `${method} ${url} HTTP/1.1\r\n\r\n`.length;
  return rawHeaders.reduce((sum, text) => sum + text.length + ': '.length, bytes);
}
