/** An animal, as an answer holds it. */
export interface Pet {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: string;
}

/** When a request went out and its answer was in, both by the one clock of the test. */
interface Interval {
  readonly client: number;
  readonly start: number;
  /** Infinity when the outcome is unknown: it may take effect at any later time, or never. */
  readonly end: number;
}

/** The creation of an animal whose name no other one has. */
export interface Create extends Interval {
  readonly kind: 'create';
  readonly sent: Omit<Pet, 'id'>;
  /** The answer; undefined when the outcome is unknown. */
  readonly pet?: Pet | undefined;
}

export interface Get extends Interval {
  readonly kind: 'get';
  readonly id: bigint;
  /** The answer; undefined for a 404. */
  readonly pet?: Pet | undefined;
}

export interface List extends Interval {
  readonly kind: 'list';
  readonly after: bigint;
  readonly limit: number;
  readonly status?: string | undefined;
  readonly pets: readonly Pet[];
}

export type Operation = Create | Get | List;

/** What clients asked and were answered, in any order. A read without an answer tells nothing and is not in it. */
export type History = readonly Operation[];

/** An operation on one line, for a person. */
export function describe(operation: Operation): string {
  const { client, start, end } = operation;
  return `${whatOf(operation)}, client ${client}, from ${start.toFixed(3)} to ${end.toFixed(3)} ms`;
}

function whatOf(operation: Operation): string {
  switch (operation.kind) {
    case 'create':
      return `create "${operation.sent.name}": ${operation.pet ? `id ${operation.pet.id}` : 'outcome unknown'}`;
    case 'get':
      return `get ${operation.id}: ${operation.pet ? 'present' : 'absent'}`;
    case 'list': {
      const { after, limit, status, pets } = operation;
      const ids = pets.map(({ id }) => id);
      return `list after ${after}, limit ${limit}, ${status ?? 'any'} status: [${ids.join(' ')}]`;
    }
  }
}
