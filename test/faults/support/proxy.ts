import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a proxy does to the bytes of one direction, after the toxics of toxiproxy. */
export interface Toxics {
  /** Each chunk arrives this much later. */
  latencyMs?: number;
  bytesPerSecond?: number;
  /** Chunks are cut into pieces of so many bytes, with a pause after each. */
  slicer?: { bytes: number; pauseMs: number };
  /** What arrives is dropped, without a word to either side. */
  blackHole?: boolean;
  /** The place in a chunk at which both sides are closed; below 0: none. What comes before it passes. */
  cutAt?: (chunk: Buffer) => number;
}

export type Direction = 'toServer' | 'toClient';

const BOTH: readonly Direction[] = ['toServer', 'toClient'];

/** A TCP proxy on a free port of 127.0.0.1 that does harm when it is told to. */
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

  /** Starts a proxy to the host and port of an address. */
  static async to(url: string): Promise<Proxy> {
    const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new Proxy(listener, targetOf(url));
  }

  /** From now on leads new connections to another address. */
  redirect(url: string): void {
    this.target = targetOf(url);
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** The address with this proxy in the place of its host and port. */
  rewrite(url: string): string {
    const rewritten = new URL(url);
    rewritten.host = `127.0.0.1:${this.port}`;
    return rewritten.href;
  }

  /** From now on harms connections, those that are open too. What it did before in these directions ends. */
  set(toxics: Toxics, directions: readonly Direction[] = BOTH): void {
    for (const direction of directions) this.toxics[direction] = toxics;
  }

  /** Resets all connections (RST), and each new one until {@link heal}. */
  reset(): void {
    this.resetting = true;
    this.resetConnections();
  }

  /** Resets the connections that are open; new ones are served. */
  resetConnections(): void {
    for (const sockets of this.connections) for (const socket of sockets) socket.resetAndDestroy();
  }

  /** Ends all harm. A connection that lost bytes stays as broken as it is. */
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
      // Each side sees the other's end, whether it was a FIN or a RST.
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
      // The connection is gone; the handlers of its sockets close the other side.
    }
  }

  /** Passes a chunk on, or what is left of it; tells whether the connection ends here. */
  private async harm(chunk: Buffer, arrivedAt: number, to: Socket, direction: Direction): Promise<boolean> {
    const { latencyMs = 0, bytesPerSecond, slicer, cutAt } = this.toxics[direction];
    const wait = arrivedAt + latencyMs - performance.now();
    if (wait > 0) await sleep(wait);
    // Read once more: harm may have come or gone while the chunk was under way.
    if (this.toxics[direction].blackHole) return false;
    const end = cutAt?.(chunk) ?? -1;
    const passed = end < 0 ? chunk : chunk.subarray(0, end);
    const size = slicer?.bytes ?? Math.max(1, Math.ceil((bytesPerSecond ?? Infinity) / 100));
    for (let start = 0; start < passed.length; start += size) {
      const piece = passed.subarray(start, start + size);
      if (!to.write(piece)) await once(to, 'drain');
      if (slicer) await sleep(slicer.pauseMs);
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

/** The chunks of a socket with the time of their arrival, whatever happens to the chunks before. */
function timed(socket: Socket): AsyncIterable<TimedChunk> {
  const chunks = new PassThrough({ objectMode: true });
  socket.on('data', (chunk: Buffer) => chunks.write({ chunk, arrivedAt: performance.now() }));
  for (const event of ['end', 'close']) socket.once(event, () => chunks.end());
  return chunks;
}
