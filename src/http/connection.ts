import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Config } from '../config/config.js';

/** The memory of an open connection, and of a request in progress, beside their texts. */
const CONNECTION_BYTES = 6 * 1024;
const REQUEST_BYTES = 12 * 1024;

/** The text of a request in progress exists up to this often: as it arrived, as values, and in a statement. */
const COPIES = 3;

/** An open connection, and what its client makes the process hold. */
export class Connection {
  /** The responses in progress, in the order of their requests. */
  readonly responses: ServerResponse[] = [];
  /** The time of the last request, or else of the connection. */
  activeAt = performance.now();
  /** Refuses the request whose body is being received. */
  refuse: (() => void) | undefined;
  /** Whether its request was refused, and the client still sends the rest. */
  private isRefused = false;
  /** The bytes that were read up to the last head of a request, and those before the text that is still held. */
  private headBytes = 0;
  private startBytes = 0;

  constructor(readonly socket: Socket) {}

  /** Adds the response to a request whose head has arrived. Returns the number of bytes that were read since the last one. */
  add(response: ServerResponse): number {
    const { bytesRead } = this.socket;
    const newBytes = bytesRead - this.headBytes;
    // The piece with the last head could also contain the beginning of this one, so it counts.
    if (this.responses.length === 0 && newBytes > 0) this.startBytes = this.headBytes;
    this.headBytes = bytesRead;
    this.activeAt = performance.now();
    this.responses.push(response);
    return newBytes;
  }

  remove(response: ServerResponse): void {
    this.responses.splice(this.responses.indexOf(response), 1);
    this.isRefused = false;
  }

  /**
   * Returns an upper bound of the memory that the client makes the process hold. While the service works on a request, only
   * its text counts: the queues in front of the database bound the number of these requests.
   */
  heldBytes({ headersLimitBytes, bodyLimitBytes }: Config): number {
    const { bytesRead, writableLength } = this.socket;
    if (this.isRefused) return CONNECTION_BYTES + writableLength;
    const requests = this.responses.length;
    const bytes = bytesRead - this.startBytes;
    const textBytes =
      requests === 0
        ? Math.min(bytes, headersLimitBytes)
        : COPIES * Math.min(bytes, requests * (headersLimitBytes + bodyLimitBytes));
    const ownBytes = this.waitsForClient ? CONNECTION_BYTES + requests * REQUEST_BYTES : 0;
    return ownBytes + textBytes + writableLength;
  }

  /** Whether it is the turn of the client: to send a request or the rest of it, or to read a response. */
  get waitsForClient(): boolean {
    if (this.isRefused) return false;
    const [response, ...others] = this.responses;
    if (!response || others.length > 0 || !response.req.complete) return true;
    return this.socket.writableLength > 0;
  }

  /** Ends the request whose body is being received with 503, or else the connection. */
  end(): void {
    if (!this.refuse) {
      this.socket.destroy();
      return;
    }
    this.isRefused = true;
    this.refuse();
  }
}
