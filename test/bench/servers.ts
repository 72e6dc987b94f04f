import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from '../support/postgres.ts';
import { childrenOf, cpuMs, memoryMiB } from '../support/proc.ts';
import { compilePeer } from './compile.ts';
import type { Store } from './database.ts';

/** A service of the comparison. */
export interface ServerKind {
  name: string;
  title: string;
  /** Returns the command that starts it. */
  command: () => readonly string[];
  environment?: Record<string, string>;
  /** The scenarios that it supports. Default: all. */
  scenarios?: readonly string[];
}

export const PETSTORE: ServerKind = {
  name: 'petstore',
  title: 'this service',
  command: () => ['npm', 'run', '--silent', 'start:prod'],
  // The peers write no log.
  environment: { LOG_LEVEL: 'warn', DATABASE_POOL_SIZE: '10', SIGNUP: 'open' },
};

/** Starts a peer with the flags of V8 that the service has. Without the second, some starts of the peers are slow, too. */
const node = (file: string) => [
  process.execPath,
  '--max-semi-space-size=32',
  '--no-allocation-site-pretenuring',
  file,
];

/** This service and its peers. */
export const SERVERS: readonly ServerKind[] = [
  PETSTORE,
  { name: 'lean-nest', title: 'lean Nest + pg', command: () => node(compilePeer('lean-nest')) },
  {
    name: 'node-http-pg',
    title: 'node:http + pg by hand',
    command: () => node('test/bench/peers/node-http-pg.ts'),
  },
  {
    name: 'empty-nest',
    title: 'empty Nest, no database',
    command: () => node(compilePeer('empty-nest')),
    scenarios: ['list', 'get'],
  },
];

/** A server in a separate process. */
export class Server {
  readonly url: string;
  readonly kind: ServerKind;
  key: string;
  private readonly child: ChildProcess;

  private constructor(kind: ServerKind, key: string, port: number, child: ChildProcess) {
    this.url = `http://127.0.0.1:${port}`;
    this.kind = kind;
    this.key = key;
    this.child = child;
  }

  /** Starts a server and waits for its first response. */
  static async start(
    kind: ServerKind,
    { key, environment }: Store,
    more: Record<string, string> = {},
  ): Promise<Server> {
    const port = await freePort();
    const [program = '', ...args] = kind.command();
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      // npm and its shell are in the group of the server.
      detached: true,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        ...environment,
        ...kind.environment,
        ...more,
      },
    });
    const server = new Server(kind, key, port, child);
    const kill = () => server.signal('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    await server.untilAnswers();
    return server;
  }

  /** The process that serves: the last of the chain that the command has started. */
  get pid(): number {
    let pid = this.child.pid ?? 0;
    for (let [child] = childrenOf(pid); child !== undefined; [child] = childrenOf(pid)) pid = child;
    return pid;
  }

  get headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.key}` };
  }

  /** Returns the CPU time of the process in milliseconds. */
  cpuMs(): number {
    return cpuMs(this.pid);
  }

  /** Returns the resident memory of the process in MiB. */
  memoryMiB(): number {
    return memoryMiB(this.pid, 'VmRSS');
  }

  /** Returns the peak of the resident memory of the process in MiB. */
  peakMiB(): number {
    return memoryMiB(this.pid, 'VmHWM');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const { pid } = this;
    const exited = once(this.child, 'exit');
    this.signal('SIGTERM');
    await exited;
    // npm ends before the server.
    while (existsSync(`/proc/${pid}`)) await sleep(50);
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, signal);
  }

  private async untilAnswers(deadline = Date.now() + 60_000): Promise<void> {
    for (;;) {
      const status = await fetch(`${this.url}/v1/pets`, { headers: this.headers }).then(
        async (response) => (await response.text(), response.status),
        () => undefined,
      );
      // The database of a first start has no key yet.
      if (status === 200 || (status === 401 && this.key === '')) return;
      if (this.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${this.kind.title} does not answer: ${status ?? 'no connection'}`);
      }
      await sleep(50);
    }
  }
}
