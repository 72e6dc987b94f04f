/** An animal in a response. */
export interface Pet {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: string;
}

/** The times of the request and of the response, by the clock of the test. */
interface Interval {
  readonly client: number;
  readonly start: number;
  /** Infinity if the outcome is unknown, because the request may take effect later or never. */
  readonly end: number;
}

/** The creation of an animal with a unique name. */
export interface Create extends Interval {
  readonly kind: 'create';
  readonly sent: Omit<Pet, 'id'>;
  /** The response, or undefined if the outcome is unknown. */
  readonly pet?: Pet | undefined;
}

export interface Get extends Interval {
  readonly kind: 'get';
  readonly id: bigint;
  /** The response, or undefined for a 404. */
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

/** The requests and responses of clients, in any order. Reads without a response are omitted. */
export type History = readonly Operation[];

/** Formats an operation as a line for people. */
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
