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
  /** The origins of other replicas. A client sends each attempt to the next replica. */
  others?: readonly string[];
  /** Whether a client pauses after a 503 as long as its Retry-After says. */
  obeysRetryAfter?: boolean;
  /** Receives each complete response. */
  onAnswer?: (operation: Operation, answer: Received) => void;
}

/** The number of clients by default. The short form shares a busy machine with other tests. */
const CLIENTS = rounds(64, 16);

/** The maximum pause of a client after a success, and the pause after a failure, by default. */
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
    this.clients = Array.from({ length: options.clients ?? CLIENTS }, (_, client) => this.runClient(client));
  }

  /** Starts clients. With the ledger of an earlier load, they continue that load. */
  static start(target: Target, options: LoadOptions, ledger = new Ledger()): Load {
    return new Load(target, ledger, options);
  }

  /** Waits until each client has ended its request. */
  async stop(): Promise<Ledger> {
    this.stopped = true;
    await Promise.all(this.clients);
    this.endedAt ||= performance.now();
    return this.ledger;
  }

  /** Returns the answered requests per second, from the start to the end of the load. */
  get requestsPerSecond(): number {
    const { succeeded, unavailable } = this.ledger;
    return ((succeeded + unavailable) / ((this.endedAt || performance.now()) - this.startedAt)) * 1000;
  }

  /** Resolves after the given number of further successes. */
  async untilSucceeded(count: number, timeout = 180_000): Promise<void> {
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
  async untilHealthy(since: number, timeout = 180_000): Promise<number> {
    this.recovery = new Recovery(this.clients.length, since);
    return vi.waitFor(() => this.recovery.durationMs(HEALTHY_MS), { timeout, interval: 20 });
  }

  private async runClient(client: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { isKeyed = false, maxPauseMs = MAX_PAUSE_MS, others = [] } = this.options;
    let turn = client;
    while (!this.stopped) {
      const operation = chooseOperation(this.ledger);
      const key = isKeyed && operation.method === 'POST' ? randomUUID() : undefined;
      const request = requestOf(operation, this.target.key, key);
      let succeeded: boolean;
      do {
        const urls = [this.target.url, ...others];
        const url = urls[turn++ % urls.length] ?? '';
        const begunAt = performance.now();
        const outcome = await exchange(url, agent, request, this.options.answerWithinMs);
        succeeded = this.note(operation, outcome, key);
        if (succeeded) this.recovery.noteSuccess(client, begunAt);
        else this.recovery.noteFailure();
        await sleep(succeeded ? Math.random() * maxPauseMs : this.pauseAfterMs(outcome));
      } while (!succeeded && key !== undefined);
    }
    agent.destroy();
  }

  private pauseAfterMs(failure: Received | NotReceived): number {
    if (!this.options.obeysRetryAfter || failure.kind !== 'answer') return RETRY_PAUSE_MS;
    return Number(failure.headers['retry-after'] ?? 0) * 1000 * (0.5 + Math.random());
  }

  /** Records an attempt. Returns whether it succeeded. */
  private note(operation: Operation, outcome: Received | NotReceived, key?: string): boolean {
    const { ledger } = this;
    if (outcome.kind !== 'refused') ledger.requests++;
    if (outcome.kind === 'answer') {
      ledger.slowestMs = Math.max(ledger.slowestMs, outcome.durationMs);
      this.options.onAnswer?.(operation, outcome);
      if (outcome.status < 300) {
        ledger.succeeded++;
        if (key !== undefined) ledger.keys.add(key);
        const problem = operation.accept(outcome);
        if (problem !== undefined) ledger.addWrong(`${operation.path}: ${problem}: ${outcome.text}`);
        return true;
      }
      this.noteError(operation, outcome, key);
    } else {
      this.noteFailure(outcome);
    }
    if (operation.method === 'POST' && outcome.kind !== 'refused') ledger.unknown++;
    return false;
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
