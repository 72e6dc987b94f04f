import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { vi } from 'vitest';

import { stringifyJson } from '#src/domain/json';

import { exchange, type Sent } from '../../faults/support/exchange.ts';
import { Ledger } from '../../faults/support/ledger.ts';
import { chooseOperation, errorIn, type Operation } from '../../faults/support/operations.ts';
import { Gaps } from './gaps.ts';

const CLIENTS = 32;
const ANSWER_WITHIN_MS = 20_000;
const MAX_PAUSE_MS = 30;
const RETRY_PAUSE_MS = 100;

/**
 * Clients that create and read on several replicas of the service. They repeat each request on the next replica until
 * it succeeds, each write with its own Idempotency-Key.
 */
export class RetryingLoad {
  readonly ledger = new Ledger();
  /** The times between acknowledged writes, and between answered reads. */
  readonly writes = new Gaps();
  readonly reads = new Gaps();
  /** The number of repeated requests. */
  repeated = 0;
  /** The number of writes that were acknowledged as replays. */
  replayed = 0;
  private stopped = false;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly clients: Promise<void>[];

  constructor(
    private readonly urls: readonly string[],
    private readonly key: string,
  ) {
    this.clients = Array.from({ length: CLIENTS }, (_, client) => this.runClient(client));
  }

  /** Resolves after the given numbers of further acknowledged writes and answered reads. */
  async untilServed(count: number): Promise<void> {
    const [writes, reads] = [this.writes.count + count, this.reads.count + count];
    await vi.waitFor(
      () => {
        if (this.writes.count < writes || this.reads.count < reads) throw new Error('not served');
      },
      { timeout: 120_000, interval: 20 },
    );
  }

  /** Waits until the current request of each client succeeds, so that all requests are acknowledged. */
  async stop(): Promise<Ledger> {
    this.stopped = true;
    await Promise.all(this.clients);
    this.agent.destroy();
    return this.ledger;
  }

  private async runClient(client: number): Promise<void> {
    for (let turn = client; !this.stopped; turn++) {
      const operation = chooseOperation(this.ledger);
      const request = this.requestOf(operation);
      while (!(await this.attempt(operation, request, this.urls[turn % this.urls.length] ?? ''))) {
        turn++;
        this.repeated++;
        await sleep(RETRY_PAUSE_MS);
      }
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }

  /** Returns whether the request succeeded. */
  private async attempt(operation: Operation, request: Sent, url: string): Promise<boolean> {
    const { ledger } = this;
    const outcome = await exchange(url, this.agent, request, ANSWER_WITHIN_MS);
    ledger.requests++;
    if (outcome.kind !== 'answer') {
      ledger.addWrong(`${outcome.kind}: ${outcome.detail}`);
      return false;
    }
    ledger.slowestMs = Math.max(ledger.slowestMs, outcome.durationMs);
    if (outcome.status < 300) {
      ledger.succeeded++;
      (operation.method === 'POST' ? this.writes : this.reads).note();
      if (outcome.headers['idempotency-replayed'] !== undefined) this.replayed++;
      const problem = operation.accept(outcome);
      if (problem !== undefined) ledger.addWrong(`${operation.path}: ${problem}: ${outcome.text}`);
      return true;
    }
    // An earlier attempt may still be in progress.
    const mayRepeat = outcome.status === 409 && operation.method === 'POST';
    const problem = mayRepeat ? undefined : errorIn(outcome);
    if (problem === undefined) ledger.unavailable++;
    else ledger.addWrong(`${operation.method} ${operation.path}: ${problem}: ${outcome.text}`);
    return false;
  }

  private requestOf({ method, path, json }: Operation): Sent {
    const headers = { authorization: `Bearer ${this.key}` };
    if (json === undefined) return { method, path, headers };
    const more = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    return { method, path, headers: { ...headers, ...more }, body: stringifyJson(json) };
  }
}
