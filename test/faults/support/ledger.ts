import { randomUUID } from 'node:crypto';

import type { Rows } from './store.ts';

/** An animal, as far as this load makes them. */
export interface StoredPet {
  id: bigint;
  name: string;
  categoryId: bigint;
}

export interface StoredOrder {
  id: bigint;
  petId: bigint;
}

export interface StoredMessage {
  id: string;
  message: string;
}

/** How many of the wrong things are told in full. */
const MAX_EXAMPLES = 20;

/** What clients asked for, and what they were told: the evidence by which a database is judged. */
export class Ledger {
  readonly pets = new Map<bigint, StoredPet>();
  readonly orders = new Map<bigint, StoredOrder>();
  readonly messages = new Map<string, StoredMessage>();
  /** The names of all animals, and the texts of all messages, that were ever sent. */
  readonly sent = new Set<string>();
  readonly examples: string[] = [];
  private readonly petIds: bigint[] = [];
  /** All that were taken by a listener. */
  requests = 0;
  /** Answers with 2xx. */
  succeeded = 0;
  /** Answers with 503. */
  unavailable = 0;
  /** Attempts that met no listener: nothing was done. */
  refused = 0;
  /** Connections that ended before an answer was whole. */
  cut = 0;
  /** Writes of which no one knows whether they were done: no whole answer, or a 503. */
  unknown = 0;
  wrong = 0;
  /** The longest time that a client waited for an answer. */
  slowestMs = 0;

  get acknowledged(): number {
    return this.pets.size + this.orders.size + this.messages.size;
  }

  /** A text that nothing else has: what is stored under it was sent once. */
  newText(): string {
    const text = randomUUID();
    this.sent.add(text);
    return text;
  }

  /** The id of any animal that was acknowledged, from the first to the last. */
  anyPetId(): bigint | undefined {
    return this.petIds[Math.floor(Math.random() * this.petIds.length)];
  }

  /** Notes an animal that was acknowledged; tells what is wrong with that. */
  addPet(pet: StoredPet): string | undefined {
    if (this.pets.has(pet.id)) return 'two animals of one id';
    this.pets.set(pet.id, pet);
    this.petIds.push(pet.id);
    return undefined;
  }

  addOrder(order: StoredOrder): string | undefined {
    if (this.orders.has(order.id)) return 'two orders of one id';
    this.orders.set(order.id, order);
    return undefined;
  }

  addMessage(message: StoredMessage): string | undefined {
    if (this.messages.has(message.id)) return 'two messages of one id';
    this.messages.set(message.id, message);
    return undefined;
  }

  /** What an animal that was read contradicts, if it does. One that nobody was told of may be there. */
  contradiction(pet: Record<string, unknown>): string | undefined {
    const told = this.pets.get(pet['id'] as bigint);
    if (told) return isSame(told, pet) ? undefined : 'not as it was told';
    return this.sent.has(pet['name'] as string) ? undefined : 'nobody sent this animal';
  }

  /** Something that must not be, whatever the fault. */
  addWrong(what: string): void {
    this.wrong++;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(what);
  }

  /** Compares what was acknowledged with what is stored: how much is missing, and how much is not as it was told. */
  judge(rows: Rows): { lost: number; wrong: number; examples: string[] } {
    const verdict = { lost: 0, wrong: this.wrong, examples: [...this.examples] };
    const complain = (count: 'lost' | 'wrong', what: string) => {
      verdict[count]++;
      if (verdict.examples.length < MAX_EXAMPLES) verdict.examples.push(`${count}: ${what}`);
    };
    const compare = <Id, Item extends { id: Id }>(kind: string, told: Map<Id, Item>, stored: Item[]) => {
      const byId = new Map(stored.map((item) => [item.id, item]));
      for (const [id, item] of told) {
        const found = byId.get(id);
        if (!found) complain('lost', `${kind} ${String(id)}`);
        else if (!isSame(item, found)) complain('wrong', `${kind} ${String(id)} is stored otherwise`);
      }
    };
    compare('animal', this.pets, rows.pets);
    compare('order', this.orders, rows.orders);
    compare('message', this.messages, rows.messages);
    const seen = new Set<string>();
    for (const text of [...rows.pets.map(({ name }) => name), ...rows.messages.map((row) => row.message)]) {
      if (!this.sent.has(text)) complain('wrong', `nobody sent ${text}`);
      else if (seen.has(text)) complain('wrong', `sent once, stored twice: ${text}`);
      seen.add(text);
    }
    return verdict;
  }
}

function isSame(told: object, found: object): boolean {
  return Object.entries(told).every(([name, value]) => Reflect.get(found, name) === value);
}
