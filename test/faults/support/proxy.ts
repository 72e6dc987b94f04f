import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** The faults of one direction, after the toxics of toxiproxy. */
export interface Toxics {
  /** The delay of each chunk. */
  latencyMs?: number;
  bytesPerSecond?: number;
  /** Whether data is dropped silently. */
  blackHole?: boolean;
  /** The position in a chunk at which both sides are closed, or -1. Data before it passes. */
  cutAt?: (chunk: Buffer) => number;
  /** The position in a chunk from which on data of this direction is dropped silently, or -1. */
  silentFrom?: (chunk: Buffer) => number;
}

export type Direction = 'toServer' | 'toClient';

const BOTH: readonly Direction[] = ['toServer', 'toClient'];

/** A TCP proxy on a free port of 127.0.0.1 that can cause faults. */
export class Proxy {
  private toxics: Record<Direction, Toxics> = { toServer: {}, toClient: {} };
  private readonly connections = new Set<readonly [client: Socket, server: Socket]>();
  private resetting = false;

  private constructor(
    private readonly listener: Server,
    private target: { host: string; port: number },
  ) {
    listener.on('connection', (client) => this.accept(client));
  }

  /** Starts a proxy for the host and port of a URL. */
  static async to(url: string): Promise<Proxy> {
    const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new Proxy(listener, targetOf(url));
  }

  /** Sends new connections to another URL. */
  redirect(url: string): void {
    this.target = targetOf(url);
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** Returns the URL with the host and port of this proxy. */
  rewrite(url: string): string {
    const rewritten = new URL(url);
    rewritten.host = `127.0.0.1:${this.port}`;
    return rewritten.href;
  }

  /** Causes faults on open and new connections. They replace earlier faults of the same directions. */
  set(toxics: Toxics, directions: readonly Direction[] = BOTH): void {
    for (const direction of directions) this.toxics[direction] = toxics;
  }

  /** Resets all connections (RST), and every new one until {@link heal}. */
  reset(): void {
    this.resetting = true;
    this.resetConnections();
  }

  /** Resets the open connections. New ones are served. */
  resetConnections(): void {
    for (const sockets of this.connections) for (const socket of sockets) socket.resetAndDestroy();
  }

  /** Ends all faults. A connection that has lost data stays broken. */
  heal(): void {
    this.resetting = false;
    this.set({});
  }

  async close(): Promise<void> {
    const closed = once(this.listener, 'close');
    this.listener.close();
    for (const sockets of this.connections) for (const socket of sockets) socket.destroy();
    await closed;
  }

  private accept(client: Socket): void {
    if (this.resetting) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ ...this.target, allowHalfOpen: true, noDelay: true });
    client.setNoDelay();
    const connection = [client, server] as const;
    this.connections.add(connection);
    for (const [socket, other] of [connection, connection.toReversed() as [Socket, Socket]]) {
      // Each side sees the end of the other, whether by FIN or by RST.
      socket.on('error', () => other.resetAndDestroy());
      socket.once('close', () => {
        other.destroySoon();
        this.connections.delete(connection);
      });
    }
    void this.pass(client, server, 'toServer');
    void this.pass(server, client, 'toClient');
  }

  private async pass(from: Socket, to: Socket, direction: Direction): Promise<void> {
    try {
      for await (const { chunk, arrivedAt } of timed(from)) {
        if (await this.harm(chunk, arrivedAt, to, direction)) {
          to.end();
          from.destroySoon();
          return;
        }
      }
      to.end();
    } catch {
      // The connection is closed. The handlers of its sockets close the other side.
    }
  }

  /** Forwards a chunk, or a part of it. Returns whether the connection ends here. */
  private async harm(chunk: Buffer, arrivedAt: number, to: Socket, direction: Direction): Promise<boolean> {
    const { latencyMs = 0, bytesPerSecond, cutAt, silentFrom } = this.toxics[direction];
    const wait = arrivedAt + latencyMs - performance.now();
    if (wait > 0) await sleep(wait);
    // The faults may have changed while the chunk waited.
    if (this.toxics[direction].blackHole) return false;
    const end = cutAt?.(chunk) ?? -1;
    const silence = silentFrom?.(chunk) ?? -1;
    if (silence >= 0) this.set({ blackHole: true }, [direction]);
    const passed = end < 0 && silence < 0 ? chunk : chunk.subarray(0, Math.max(end, silence));
    const size = Math.max(1, Math.ceil((bytesPerSecond ?? Infinity) / 100));
    for (let start = 0; start < passed.length; start += size) {
      const piece = passed.subarray(start, start + size);
      if (!to.write(piece)) await once(to, 'drain');
      if (bytesPerSecond !== undefined) await sleep((piece.length / bytesPerSecond) * 1000);
    }
    return end >= 0;
  }
}

function targetOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

interface TimedChunk {
  chunk: Buffer;
  arrivedAt: number;
}

/** Returns the chunks of a socket with the time of their arrival, even while earlier chunks wait. */
function timed(socket: Socket): AsyncIterable<TimedChunk> {
  const chunks = new PassThrough({ objectMode: true });
  socket.on('data', (chunk: Buffer) => chunks.write({ chunk, arrivedAt: performance.now() }));
  for (const event of ['end', 'close']) socket.once(event, () => chunks.end());
  return chunks;
}
