import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A complete response on a connection. */
export interface WireAnswer {
  status: number;
  /** The headers by their names in lower case. */
  headers: ReadonlyMap<string, string>;
  text: string;
}

/** A connection that sends any bytes, and reads responses of HTTP/1.1. */
export class Wire {
  private received: Buffer = Buffer.alloc(0);
  /** Received pieces that are not joined yet, because the next response needs more bytes. */
  private pieces: Buffer[] = [];
  private missing = 0;
  private over = false;
  private wake: () => void = () => undefined;

  private constructor(readonly socket: Socket) {
    socket.setNoDelay();
    socket.on('data', (chunk: Buffer) => {
      this.pieces.push(chunk);
      this.missing -= chunk.length;
      if (this.missing <= 0) this.append();
    });
    const end = () => {
      this.over = true;
      this.append();
    };
    // A reset ends the connection, too. Data that arrived before it counts.
    socket.on('error', end).on('end', end).on('close', end);
  }

  private append(): void {
    this.received = Buffer.concat([this.received, ...this.pieces]);
    this.pieces = [];
    this.wake();
  }

  static async open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    return new Wire(socket);
  }

  /** Whether the service has closed the connection, and all its data was read. */
  get ended(): boolean {
    return this.over && this.received.length === 0;
  }

  /** Returns the received data that was not read. */
  peek(): string {
    return this.received.toString('latin1');
  }

  write(bytes: string | Uint8Array): void {
    if (!this.socket.destroyed)
      this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /**
   * Resolves with the next response, or undefined if the connection is closed.
   *
   * @param bodiless whether it is a response to HEAD
   * @throws Error when no complete response arrives in time, or the data is not HTTP
   */
  async next(timeoutMs: number, bodiless = false): Promise<WireAnswer | undefined> {
    const deadline = performance.now() + timeoutMs;
    const timer = setTimeout(() => this.wake(), timeoutMs + 1);
    try {
      for (;;) {
        const answer = this.take(bodiless);
        if (answer && answer.status >= 200) return answer;
        if (answer) continue;
        if (this.over && this.received.length > 0) throw new Error(`half an answer: ${this.rest()}`);
        if (this.over) return undefined;
        if (performance.now() > deadline) throw new Error(`no answer within ${timeoutMs} ms: ${this.rest()}`);
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns all responses until the connection is closed. */
  async all(timeoutMs: number): Promise<WireAnswer[]> {
    const answers: WireAnswer[] = [];
    for (;;) {
      const answer = await this.next(timeoutMs);
      if (!answer) return answers;
      answers.push(answer);
    }
  }

  close(): void {
    this.socket.destroy();
  }

  private take(bodiless: boolean): WireAnswer | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [statusLine = '', ...lines] = this.received.toString('latin1', 0, end).split('\r\n');
    const [, status = ''] = /^HTTP\/1\.1 ([1-5]\d\d) /.exec(statusLine) ?? [];
    if (status === '') throw new Error(`no HTTP: ${this.rest()}`);
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = bodiless ? 0 : Number(headers.get('content-length') ?? 0);
    if (headers.has('transfer-encoding')) throw new Error('an answer of unknown length');
    const start = end + 4;
    this.missing = start + length - this.received.length;
    if (this.missing > 0) return undefined;
    const text = this.received.toString('utf8', start, start + length);
    this.received = this.received.subarray(start + length);
    return { status: Number(status), headers, text };
  }

  private rest(): string {
    return JSON.stringify(this.received.toString('latin1', 0, 300));
  }
}
