import { randomUUID } from 'node:crypto';

import type { Rows } from './store.ts';

/** An animal of the load. */
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

/** The maximum number of wrong items that are reported in full. */
const MAX_EXAMPLES = 20;

/** The number of animals that count as the last ones. */
const RECENT = 4;

/** The requests of clients and their acknowledgements, with which a database is compared. */
export class Ledger {
  /** The animals that were acknowledged or shown. Each read that begins later must contain them. */
  readonly known = new Map<bigint, StoredPet>();
  /** The acknowledged ones. */
  readonly pets = new Map<bigint, StoredPet>();
  readonly orders = new Map<bigint, StoredOrder>();
  readonly messages = new Map<string, StoredMessage>();
  /** The idempotency keys of the acknowledged writes that had one. */
  readonly keys = new Set<string>();
  readonly examples: string[] = [];
  private readonly knownIds: bigint[] = [];
  /** The requests that a listener accepted. */
  requests = 0;
  /** The responses with 2xx. */
  succeeded = 0;
  /** The responses with 503. */
  unavailable = 0;
  /** The attempts without a listener, which had no effect. */
  refused = 0;
  /** The connections that ended before a complete response. */
  cut = 0;
  /** The writes with an unknown outcome: without a complete response, or with a 503. */
  unknown = 0;
  wrong = 0;
  /** The longest wait for a response. */
  slowestMs = 0;

  /** @param sent the names of all animals and the texts of all messages that were sent. Ledgers of a store share it */
  constructor(readonly sent = new Set<string>()) {}

  /**
   * Whether the rows are on several nodes. After the end of a session, Citus commits a prepared transaction on a node later,
   * so that reads of the last animals may not find them yet.
   */
  isDistributed = false;

  get acknowledged(): number {
    return this.pets.size + this.orders.size + this.messages.size;
  }

  /** Returns a unique text, so that a stored text can be matched with its request. */
  newText(): string {
    const text = randomUUID();
    this.sent.add(text);
    return text;
  }

  /** Returns the id of a random known animal: half of the time, of one of the last ones, next to which others create. */
  anyPetId(): bigint | undefined {
    const among = !this.isDistributed && Math.random() < 0.5 ? this.knownIds.slice(-RECENT) : this.knownIds;
    return among[Math.floor(Math.random() * among.length)];
  }

  /** Records an acknowledged animal. Returns an error if it contradicts an earlier response. */
  addPet(pet: StoredPet): string | undefined {
    if (this.pets.has(pet.id)) return 'two animals of one id';
    this.pets.set(pet.id, pet);
    return this.addShown(pet);
  }

  /**
   * Records an animal that a response shows, which may not be acknowledged yet. Returns an error if it contradicts an
   * earlier response.
   */
  addShown({ id, name, categoryId }: StoredPet): string | undefined {
    const earlier = this.known.get(id);
    if (earlier)
      return isSame(earlier, { id, name, categoryId }) ? undefined : 'differs from an earlier response';
    if (!this.sent.has(name)) return 'no client sent this animal';
    this.known.set(id, { id, name, categoryId });
    this.knownIds.push(id);
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

  /** Records an error that no fault may cause. */
  addWrong(what: string): void {
    this.wrong++;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(what);
  }

  /** Compares the known animals and the acknowledged items and keys with the stored ones. Returns how many are missing and how many differ. */
  judge(rows: Rows): { lost: number; wrong: number; examples: string[] } {
    const verdict = { lost: 0, wrong: this.wrong, examples: [...this.examples] };
    const complain = (count: 'lost' | 'wrong', what: string) => {
      verdict[count]++;
      if (verdict.examples.length < MAX_EXAMPLES) verdict.examples.push(`${count}: ${what}`);
    };
    const compare = <Id, Item extends { id: Id }>(kind: string, expected: Map<Id, Item>, stored: Item[]) => {
      const byId = new Map(stored.map((item) => [item.id, item]));
      for (const [id, item] of expected) {
        const found = byId.get(id);
        if (!found) complain('lost', `${kind} ${String(id)}`);
        else if (!isSame(item, found)) complain('wrong', `${kind} ${String(id)} is stored otherwise`);
      }
    };
    compare('animal', this.known, rows.pets);
    compare('order', this.orders, rows.orders);
    compare('message', this.messages, rows.messages);
    const keys = new Set(rows.keys);
    for (const key of this.keys) if (!keys.has(key)) complain('lost', `key ${key}`);
    const seen = new Set<string>();
    for (const text of [...rows.pets.map(({ name }) => name), ...rows.messages.map((row) => row.message)]) {
      if (!this.sent.has(text)) complain('wrong', `no client sent ${text}`);
      else if (seen.has(text)) complain('wrong', `sent once, stored twice: ${text}`);
      seen.add(text);
    }
    return verdict;
  }
}

function isSame(expected: object, found: object): boolean {
  return Object.entries(expected).every(([name, value]) => Reflect.get(found, name) === value);
}
