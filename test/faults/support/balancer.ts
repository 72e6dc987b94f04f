import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

import { onTestFinished } from 'vitest';

const POLL_MS = 50;

/**
 * A TCP load balancer on a free port of 127.0.0.1: new connections go to the replicas in turn, past
 * those that do not say that they are ready, or refuse. Open connections stay where they are.
 */
export class Balancer {
  private readonly ready = new Map<string, boolean>();
  private turn = 0;

  private constructor(private readonly listener: Server) {
    listener.on('connection', (client) => void this.serve(client));
  }

  /** Starts a balancer, which ends with the running test. */
  static async start(): Promise<Balancer> {
    const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const balancer = new Balancer(listener);
    const polling = setInterval(() => void balancer.poll(), POLL_MS);
    onTestFinished(() => {
      clearInterval(polling);
      listener.close();
    });
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  /** Takes a replica in; it gets connections once it is ready. */
  async add(url: string): Promise<void> {
    this.ready.set(url, false);
    await this.poll();
  }

  remove(url: string): void {
    this.ready.delete(url);
  }

  private async poll(): Promise<void> {
    await Promise.all(
      [...this.ready.keys()].map(async (url) => {
        const isReady = await fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (this.ready.has(url)) this.ready.set(url, isReady);
      }),
    );
  }

  private async serve(client: Socket): Promise<void> {
    client.on('error', () => undefined);
    const server = await this.connect();
    if (!server) {
      client.resetAndDestroy();
      return;
    }
    await Promise.allSettled([pipeline(client, server), pipeline(server, client)]);
  }

  /** A connection to the next replica that takes one. */
  private async connect(): Promise<Socket | undefined> {
    const urls = [...this.ready].flatMap(([url, isReady]) => (isReady ? [url] : []));
    const first = this.turn++;
    for (let index = 0; index < urls.length; index++) {
      const { port } = new URL(urls[(first + index) % urls.length] ?? '');
      const server = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
      try {
        await once(server, 'connect');
        return server;
      } catch {
        // It has just stopped to listen; the next one takes the connection.
      }
    }
    return undefined;
  }
}
