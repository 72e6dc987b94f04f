import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { vi } from 'vitest';

import { stringifyJson } from '#src/http/json';

import { exchange, type NotReceived, type Received, type Sent } from './exchange.ts';
import { Ledger } from './ledger.ts';
import { chooseOperation, errorIn, type Operation } from './operations.ts';

/** Where requests go; a scenario may change it while the load runs. */
export interface Target {
  /** Without a path. */
  url: string;
  key: string;
}

export interface LoadOptions {
  clients?: number;
  /** A request without an answer after this time counts as wrong. */
  answerWithinMs: number;
  /** Whether an answer may be cut off by this fault, as by one that kills the service. */
  mayCut?: (failure: NotReceived) => boolean;
}

/** How long a client rests after an answer at most, and after one that tells it to come back later. */
const MAX_PAUSE_MS = 20;
const RETRY_PAUSE_MS = 100;

/** Successes, one of them a write, without a failure in between: how long it takes to call the service healthy. */
const HEALTHY_MS = 1000;

/** Clients that keep a connection each, create and read without an end, and note what they are told. */
export class Load {
  private stopped = false;
  private readonly startedAt = performance.now();
  private endedAt = 0;
  private lastFailureAt = -Infinity;
  private successes: { at: number; write: boolean }[] = [];
  private readonly clients: Promise<void>[];

  private constructor(
    readonly target: Target,
    readonly ledger: Ledger,
    private readonly options: LoadOptions,
  ) {
    this.clients = Array.from({ length: options.clients ?? 64 }, () => this.runClient());
  }

  /** Starts clients; with the ledger of an earlier load, they go on where that one ended. */
  static start(target: Target, options: LoadOptions, ledger = new Ledger()): Load {
    return new Load(target, ledger, options);
  }

  /** Lets each client end its request. */
  async stop(): Promise<Ledger> {
    this.stopped = true;
    await Promise.all(this.clients);
    this.endedAt = performance.now();
    return this.ledger;
  }

  /** Requests that were answered, a second, from the start to the end of the load. */
  get requestsPerSecond(): number {
    const { succeeded, unavailable } = this.ledger;
    return ((succeeded + unavailable) / ((this.endedAt || performance.now()) - this.startedAt)) * 1000;
  }

  /** Resolves when at least so many more requests succeeded. */
  async untilSucceeded(count: number, timeout = 60_000): Promise<void> {
    const goal = this.ledger.succeeded + count;
    await vi.waitFor(
      () => {
        if (this.ledger.succeeded < goal) throw new Error(`${goal - this.ledger.succeeded} requests to go`);
      },
      { timeout, interval: 10 },
    );
  }

  /**
   * Resolves when reads and writes have succeeded for a second without a failure, with the time from
   * `since` to the last failure or, when it came later, the first write that succeeded.
   */
  async untilHealthy(since: number, timeout = 60_000): Promise<number> {
    this.successes = [];
    return vi.waitFor(
      () => {
        const [now, lastFailureAt] = [performance.now(), Math.max(since, this.lastFailureAt)];
        const first = this.successes.find(({ at, write }) => write && at > lastFailureAt);
        if (!first || now - first.at < HEALTHY_MS) throw new Error('not healthy yet');
        const write = this.successes.find(({ at, write }) => write && at > since) ?? first;
        return Math.max(lastFailureAt, write.at) - since;
      },
      { timeout, interval: 20 },
    );
  }

  private async runClient(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.stopped) {
      const operation = chooseOperation(this.ledger);
      const succeeded = await this.perform(operation, agent);
      await sleep(succeeded ? Math.random() * MAX_PAUSE_MS : RETRY_PAUSE_MS);
    }
    agent.destroy();
  }

  private async perform(operation: Operation, agent: Agent): Promise<boolean> {
    const outcome = await exchange(
      this.target.url,
      agent,
      requestOf(operation, this.target.key),
      this.options.answerWithinMs,
    );
    if (outcome.kind !== 'refused') this.ledger.requests++;
    if (outcome.kind === 'answer')
      this.ledger.slowestMs = Math.max(this.ledger.slowestMs, outcome.durationMs);
    const succeeded = outcome.kind === 'answer' && outcome.status < 300;
    if (succeeded) {
      this.ledger.succeeded++;
      this.noteSuccess(operation);
      const problem = operation.accept(outcome);
      if (problem !== undefined) this.ledger.addWrong(`${operation.path}: ${problem}: ${outcome.text}`);
    } else {
      this.lastFailureAt = performance.now();
      if (operation.method === 'POST' && outcome.kind !== 'refused') this.ledger.unknown++;
      if (outcome.kind === 'answer') this.noteError(operation, outcome);
      else this.noteFailure(outcome);
    }
    return succeeded;
  }

  private noteSuccess({ method }: Operation): void {
    this.successes.push({ at: performance.now(), write: method === 'POST' });
    if (this.successes.length > 100_000) this.successes.splice(0, 50_000);
  }

  private noteError({ method, path }: Operation, answer: Received): void {
    const problem = errorIn(answer);
    if (problem === undefined) this.ledger.unavailable++;
    else this.ledger.addWrong(`${method} ${path}: ${problem}: ${answer.status} ${answer.text}`);
  }

  private noteFailure(failure: NotReceived): void {
    if (failure.kind === 'refused') {
      this.ledger.refused++;
    } else {
      this.ledger.cut++;
      if (failure.kind === 'late' || !this.options.mayCut?.(failure)) this.ledger.addWrong(failure.detail);
    }
  }
}

function requestOf({ method, path, json }: Operation, key: string): Sent {
  const headers = { authorization: `Bearer ${key}` };
  if (json === undefined) return { method, path, headers };
  return {
    method,
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: stringifyJson(json),
  };
}
