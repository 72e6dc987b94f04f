import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from '../support/postgres.ts';
import { compilePeer } from './compile.ts';
import type { Store } from './database.ts';

/** A service of the comparison. */
export interface ServerKind {
  name: string;
  title: string;
  /** The flags of Node. */
  flags?: readonly string[];
  /** The file that Node runs. */
  entry: () => string;
  environment?: Record<string, string>;
  /** The scenarios that it supports. Default: all. */
  scenarios?: readonly string[];
}

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

export const PETSTORE: ServerKind = {
  name: 'petstore',
  title: 'this service',
  flags: scripts['start:prod']?.match(/--\S+/g) ?? [],
  entry: () => 'dist/src/main.js',
  // The peers write no log.
  environment: { LOG_LEVEL: 'warn', DATABASE_POOL_SIZE: '10' },
};

/** This service and its peers. */
export const SERVERS: readonly ServerKind[] = [
  PETSTORE,
  { name: 'stock-nest', title: 'stock Nest + TypeORM', entry: () => compilePeer('stock-nest') },
  { name: 'node-http-pg', title: 'node:http + pg by hand', entry: () => 'test/bench/peers/node-http-pg.ts' },
  {
    name: 'empty-nest',
    title: 'empty Nest, no database',
    flags: PETSTORE.flags ?? [],
    entry: () => compilePeer('empty-nest'),
    scenarios: ['list', 'get'],
  },
];

/** The milliseconds of CPU time in a tick of /proc on current Linux. */
const TICK_MS = 10;

/** V8's line about a collection: the size of the heap in MiB before and after it, and its duration in milliseconds. */
const COLLECTION = /([\d.]+) \([\d.]+\) -> ([\d.]+) \([\d.]+\) MB.*? ([\d.]+) \/ [\d.]+ ms/;

/** A server in a separate process. */
export class Server {
  readonly url: string;
  readonly kind: ServerKind;
  readonly key: string;
  /** What V8 has allocated on its heap until its last collection, in MiB. */
  allocatedMiB = 0;
  /** The durations of the collections in milliseconds. */
  readonly pausesMs: number[] = [];
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
    const child = spawn(process.execPath, ['--trace-gc', ...(kind.flags ?? []), kind.entry()], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        ...environment,
        ...kind.environment,
        ...more,
      },
    });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const server = new Server(kind, key, port, child);
    server.countCollections(child.stdout);
    await server.untilAnswers();
    return server;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.key}` };
  }

  /** Returns the CPU time of the process in milliseconds. */
  cpuMs(): number {
    const stat = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8');
    // The name of the program may contain spaces. utime and stime are the 14th and 15th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }

  /** Returns the resident memory of the process in MiB. */
  memoryMiB(): number {
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8')) ?? [];
    return Number(kib) / 1024;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }

  private countCollections(output: Readable): void {
    let heapMiB = 0;
    createInterface(output).on('line', (line) => {
      const [, before, after, pauseMs] = COLLECTION.exec(line) ?? [];
      if (before === undefined) return;
      this.allocatedMiB += Number(before) - heapMiB;
      heapMiB = Number(after);
      this.pausesMs.push(Number(pauseMs));
    });
  }

  private async untilAnswers(deadline = Date.now() + 60_000): Promise<void> {
    for (;;) {
      const status = await fetch(`${this.url}/v1/pets`, { headers: this.headers }).then(
        async (response) => (await response.text(), response.status),
        () => undefined,
      );
      if (status === 200) return;
      if (this.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${this.kind.title} does not answer: ${status ?? 'no connection'}`);
      }
      await sleep(50);
    }
  }
}
