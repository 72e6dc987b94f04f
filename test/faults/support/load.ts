import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { vi } from 'vitest';

import { stringifyJson } from '#src/domain/json';

import { exchange, type NotReceived, type Received, type Sent } from './exchange.ts';
import { Ledger } from './ledger.ts';
import { rounds } from './mode.ts';
import { chooseOperation, errorIn, type Operation } from './operations.ts';
import { Recovery } from './recovery.ts';

/** The target of requests. A scenario can change it during the load. */
export interface Target {
  /** The origin. */
  url: string;
  key: string;
}

export interface LoadOptions {
  clients?: number;
  /** The timeout of a request. A later response counts as wrong. */
  answerWithinMs: number;
  /** Whether this fault can interrupt responses, for example because it kills the service. */
  mayCut?: (failure: NotReceived) => boolean;
  /** The maximum pause of a client after a response. Default: 20 ms. */
  maxPauseMs?: number;
  /** Whether every write has an Idempotency-Key, with which its client repeats it until it succeeds. */
  isKeyed?: boolean;
}

/** The maximum pause of a client after a response, by default, and after a response with Retry-After. */
const MAX_PAUSE_MS = 20;
const RETRY_PAUSE_MS = 100;

/** How long there must be no failure until the service counts as healthy. */
const HEALTHY_MS = rounds(1000, 500);

/** Clients that each keep a connection, create and read in a loop, and record the responses. */
export class Load {
  private stopped = false;
  private readonly startedAt = performance.now();
  private endedAt = 0;
  private recovery = new Recovery(0, 0);
  private readonly clients: Promise<void>[];

  private constructor(
    readonly target: Target,
    readonly ledger: Ledger,
    private readonly options: LoadOptions,
  ) {
    this.clients = Array.from({ length: options.clients ?? 64 }, (_, client) => this.runClient(client));
  }

  /** Starts clients. With the ledger of an earlier load, they continue that load. */
  static start(target: Target, options: LoadOptions, ledger = new Ledger()): Load {
    return new Load(target, ledger, options);
  }

  /** Waits until each client has ended its request. */
  async stop(): Promise<Ledger> {
    this.stopped = true;
    await Promise.all(this.clients);
    this.endedAt = performance.now();
    return this.ledger;
  }

  /** Returns the answered requests per second, from the start to the end of the load. */
  get requestsPerSecond(): number {
    const { succeeded, unavailable } = this.ledger;
    return ((succeeded + unavailable) / ((this.endedAt || performance.now()) - this.startedAt)) * 1000;
  }

  /** Resolves after the given number of further successes. */
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
   * Resolves when each client has succeeded with a request that began after `since` and after the last failure, and no
   * failure has followed for a while. Returns the time from `since` to those successes.
   */
  async untilHealthy(since: number, timeout = 60_000): Promise<number> {
    this.recovery = new Recovery(this.clients.length, since);
    return vi.waitFor(() => this.recovery.durationMs(HEALTHY_MS), { timeout, interval: 20 });
  }

  private async runClient(client: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { maxPauseMs = MAX_PAUSE_MS, isKeyed = false } = this.options;
    while (!this.stopped) {
      const operation = chooseOperation(this.ledger);
      const key = isKeyed && operation.method === 'POST' ? randomUUID() : undefined;
      let succeeded: boolean;
      do {
        succeeded = await this.perform(operation, agent, client, key);
        await sleep(succeeded ? Math.random() * maxPauseMs : RETRY_PAUSE_MS);
      } while (!succeeded && key !== undefined);
    }
    agent.destroy();
  }

  private async perform(operation: Operation, agent: Agent, client: number, key?: string): Promise<boolean> {
    const begunAt = performance.now();
    const outcome = await exchange(
      this.target.url,
      agent,
      requestOf(operation, this.target.key, key),
      this.options.answerWithinMs,
    );
    if (outcome.kind !== 'refused') this.ledger.requests++;
    if (outcome.kind === 'answer')
      this.ledger.slowestMs = Math.max(this.ledger.slowestMs, outcome.durationMs);
    const succeeded = outcome.kind === 'answer' && outcome.status < 300;
    if (succeeded) {
      this.ledger.succeeded++;
      this.recovery.noteSuccess(client, begunAt);
      if (key !== undefined) this.ledger.keys.add(key);
      const problem = operation.accept(outcome);
      if (problem !== undefined) this.ledger.addWrong(`${operation.path}: ${problem}: ${outcome.text}`);
    } else {
      this.recovery.noteFailure();
      if (operation.method === 'POST' && outcome.kind !== 'refused') this.ledger.unknown++;
      if (outcome.kind === 'answer') this.noteError(operation, outcome, key);
      else this.noteFailure(outcome);
    }
    return succeeded;
  }

  private noteError({ method, path }: Operation, answer: Received, key?: string): void {
    // The transaction of an earlier attempt has not ended yet.
    const isInProgress = key !== undefined && answer.status === 409 && 'retry-after' in answer.headers;
    const problem = isInProgress ? undefined : errorIn(answer);
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

function requestOf({ method, path, json }: Operation, apiKey: string, key?: string): Sent {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  if (json === undefined) return { method, path, headers };
  return {
    method,
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: stringifyJson(json),
  };
}
