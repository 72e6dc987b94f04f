import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

import { onTestFinished } from 'vitest';

const POLL_MS = 50;

/**
 * A TCP load balancer on a free port of 127.0.0.1. New connections go to the replicas in turn, except for replicas that
 * are not ready or refuse connections. Open connections stay with their replica.
 */
export class Balancer {
  private readonly ready = new Map<string, boolean>();
  private turn = 0;

  private constructor(private readonly listener: Server) {
    listener.on('connection', (client) => void this.serve(client));
  }

  /** Starts a balancer, which stops at the end of the running test. */
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

  /** Adds a replica. It gets connections when it is ready. */
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

  /** Connects to the next replica that accepts connections. */
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
        // The replica has just stopped listening. The next one gets the connection.
      }
    }
    return undefined;
  }
}
