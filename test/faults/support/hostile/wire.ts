import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A whole answer, as it came over a connection. */
export interface WireAnswer {
  status: number;
  /** By their names in small letters. */
  headers: ReadonlyMap<string, string>;
  text: string;
}

/** A connection that sends whatever bytes it is told to, and reads answers in HTTP/1.1. */
export class Wire {
  private received: Buffer = Buffer.alloc(0);
  /** What has come and is not appended to it yet: the next answer needs more bytes. */
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
    // A connection that is reset has ended, too: what came before counts.
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

  /** Whether the service has ended the connection, and everything that it sent is read. */
  get ended(): boolean {
    return this.over && this.received.length === 0;
  }

  /** What came and is not read yet. */
  peek(): string {
    return this.received.toString('latin1');
  }

  write(bytes: string | Uint8Array): void {
    if (!this.socket.destroyed)
      this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /**
   * Resolves with the next answer; undefined when the connection ended without one.
   *
   * @param bodiless whether it answers HEAD
   * @throws Error when nothing whole came in time, or what came is no HTTP
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

  /** All answers until the connection ends. */
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
