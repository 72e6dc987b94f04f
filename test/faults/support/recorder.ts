import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { stringifyJson } from '#src/domain/json';

import { exchange, type NotReceived, type Received, type Sent } from './exchange.ts';
import type { Operation, Pet } from './history.ts';
import { errorIn } from './operations.ts';

const ANSWER_WITHIN_MS = 20_000;
const MAX_PAUSE_MS = 10;
const STATUSES = [undefined, 'available', 'sold'] as const;

/**
 * Clients that create, get and list animals on several replicas at the same time, and record the operations with their
 * times. They read near the largest id, where other clients create.
 */
export class Recorder {
  readonly history: Operation[] = [];
  /** Responses that no fault may cause. */
  readonly wrong: string[] = [];
  requests = 0;
  slowestMs = 0;
  private largestId = 0n;
  private stopped = false;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly clients: Promise<void>[];

  constructor(
    private readonly urls: readonly string[],
    private readonly key: string,
    clients = 64,
  ) {
    this.clients = Array.from({ length: clients }, (_, client) => this.runClient(client));
  }

  /** Stops the clients, and reads all animals once more on every replica. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.clients);
    for (const url of this.urls) {
      for (let after: bigint | undefined = 0n; after !== undefined;) {
        const pets: readonly Pet[] | undefined = await this.list(-1, url, after, 100);
        if (!pets) throw new Error(`${url} does not answer at the end`);
        after = pets.length < 100 ? undefined : pets.at(-1)?.id;
      }
    }
    this.agent.destroy();
  }

  private async runClient(client: number): Promise<void> {
    while (!this.stopped) {
      const url = pick(this.urls);
      const dice = Math.random();
      const near = this.largestId + BigInt(Math.floor(Math.random() * 12) - 8);
      if (dice < 0.4) await this.create(client, url);
      else if (dice < 0.6) await this.get(client, url, near);
      else if (dice < 0.95)
        await this.list(client, url, near > 0n ? near - 1n : 0n, pick([3, 100]), pick(STATUSES));
      else await this.list(client, url, 0n, 100);
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }

  private async create(client: number, url: string): Promise<void> {
    const status = pick(STATUSES);
    const sent = { name: randomUUID(), categoryId: BigInt(client), ...(status !== undefined && { status }) };
    const headers = { 'content-type': 'application/json' };
    const { start, end, outcome } = await this.send(url, {
      method: 'POST',
      path: '/v1/pets',
      headers,
      body: stringifyJson(sent),
    });
    if (outcome.kind === 'refused') return;
    const pet = outcome.kind === 'answer' && outcome.status === 201 ? (outcome.body as Pet) : undefined;
    if (pet) this.history.push({ kind: 'create', client, start, end, sent, pet });
    else this.history.push({ kind: 'create', client, start, end: Infinity, sent });
    this.note(pet);
  }

  private async get(client: number, url: string, id: bigint): Promise<void> {
    const { start, end, outcome } = await this.send(url, { method: 'GET', path: `/v1/pets/${id}` }, [404]);
    if (outcome.kind !== 'answer' || outcome.status === 503) return;
    const pet = outcome.status === 200 ? (outcome.body as Pet) : undefined;
    this.history.push({ kind: 'get', client, start, end, id, pet });
  }

  private async list(
    client: number,
    url: string,
    after: bigint,
    limit: number,
    status?: string,
  ): Promise<readonly Pet[] | undefined> {
    const path = `/v1/pets?limit=${limit}&after=${after}${status === undefined ? '' : `&status=${status}`}`;
    const { start, end, outcome } = await this.send(url, { method: 'GET', path });
    if (outcome.kind !== 'answer' || outcome.status !== 200) return undefined;
    const pets = outcome.body as readonly Pet[];
    this.history.push({ kind: 'list', client, start, end, after, limit, status, pets });
    this.note(pets.at(-1));
    return pets;
  }

  private async send(
    url: string,
    request: Sent,
    alsoRight: readonly number[] = [],
  ): Promise<{ start: number; end: number; outcome: Received | NotReceived }> {
    this.requests++;
    const headers = { authorization: `Bearer ${this.key}`, ...request.headers };
    const start = performance.now();
    const outcome = await exchange(url, this.agent, { ...request, headers }, ANSWER_WITHIN_MS);
    const end = performance.now();
    if (outcome.kind === 'answer') this.slowestMs = Math.max(this.slowestMs, end - start);
    if (outcome.kind === 'late') this.wrong.push(outcome.detail);
    if (outcome.kind === 'answer' && outcome.status >= 300 && !alsoRight.includes(outcome.status)) {
      const problem = errorIn(outcome);
      if (problem !== undefined)
        this.wrong.push(`${request.method} ${request.path}: ${problem}: ${outcome.text}`);
    }
    return { start, end, outcome };
  }

  private note(pet: Pet | undefined): void {
    if (pet && pet.id > this.largestId) this.largestId = pet.id;
  }
}

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
