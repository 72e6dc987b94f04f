import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The number of requests of a connection that are handled at a time. Further pipelined requests wait. */
const MAX_HANDLED_REQUESTS = 8;

/** An open connection: its requests, and whether its client reads the responses. */
export class Connection {
  /** The number of requests that are being handled or wait. */
  requestsInFlight = 0;
  /** The response to the last of them. A closed one may hold a long body. */
  lastResponse: ServerResponse | undefined;
  private readonly waiting: (() => void)[] = [];
  private isScheduled = false;
  private sentBytes = 0;
  private progressAt = 0;

  constructor(private readonly socket: Socket) {}

  /** Handles a request: at once, or after earlier requests of the connection. */
  start(response: ServerResponse, handle: () => void): void {
    this.requestsInFlight++;
    this.lastResponse = response;
    if (this.requestsInFlight <= MAX_HANDLED_REQUESTS) return handle();
    // Node resumes a connection whenever it has parsed a request, so pause it after the last one that has arrived.
    if (this.waiting.length === 0) process.nextTick(() => this.socket.pause());
    // With the context of the request, which traces need.
    this.waiting.push(AsyncResource.bind(handle));
  }

  /** Ends a request. The next ones start in another turn of the event loop, so that other connections get theirs. */
  end(response: ServerResponse): void {
    this.requestsInFlight--;
    if (this.lastResponse === response) this.lastResponse = undefined;
    if (this.waiting.length === 0 || this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.startWaiting());
  }

  private startWaiting(): void {
    this.isScheduled = false;
    if (this.socket.destroyed) return;
    const handled = this.requestsInFlight - this.waiting.length;
    for (const handle of this.waiting.splice(0, MAX_HANDLED_REQUESTS - handled)) handle();
    if (this.waiting.length === 0) this.socket.resume();
  }

  /** Closes the connection if it has data to send and has sent nothing for a time. */
  closeIfStalled(timeoutMs: number): void {
    const { socket } = this;
    const now = performance.now();
    const sentBytes = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || sentBytes !== this.sentBytes) {
      this.sentBytes = sentBytes;
      this.progressAt = now;
    } else if (now - this.progressAt >= timeoutMs) {
      socket.destroy();
    }
  }
}
