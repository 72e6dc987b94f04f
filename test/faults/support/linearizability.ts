import { isDeepStrictEqual } from 'node:util';

import { INT64_MAX } from '../../support/arbitraries.ts';
import {
  type Create,
  describe,
  type Get,
  type History,
  type List,
  type Operation,
  type Pet,
} from './history.ts';

/**
 * Checks that a history is linearizable. Returns a description of the first contradiction, or undefined.
 *
 * An animal is a register that is first absent, and then present with the values of its creation. The list of animals
 * is append-only. Every operation takes effect at one time between its request and its response, one at a time, on any
 * replica. So:
 *
 * - Every later get of an acknowledged or seen animal returns it, and every later list that covers it contains it.
 *
 * - A list is a snapshot. Two lists never disagree on which animal came first.
 *
 * - A list is sorted by id. An animal whose creation starts after the acknowledgement of another one has the larger id.
 *
 * There are no other promises about ids. They come from a sequence before the commit, so of two overlapping creations,
 * the smaller id may appear later: a list may contain 7 but not 6, and a later one both, and a client that pages by
 * `after` may miss 6. A creation with an unknown outcome overlaps all later operations: it takes effect at any time or
 * never.
 */
export function findContradiction(history: History): string | undefined {
  const creates = new Map(history.filter(isCreate).map((create) => [create.sent.name, create]));
  const animals = new Map<bigint, Create>();
  for (const operation of history) {
    for (const pet of petsOf(operation)) {
      const create = creates.get(pet.name);
      if (!create || !isDeepStrictEqual(pet, { id: pet.id, ...create.sent }))
        return contradiction('an animal that no client created', [operation]);
      if ((animals.get(pet.id) ?? create) !== create)
        return contradiction('an id that two animals have', [operation]);
      animals.set(pet.id, create);
    }
    if (!matchesItsRequest(operation)) return contradiction('a response to another request', [operation]);
  }
  if (new Set(animals.values()).size < animals.size)
    return contradiction('an animal with two ids', animals.values());
  return findIdOutOfOrder(animals) ?? findImpossibleOrder(history, animals);
}

function isCreate(operation: Operation): operation is Create {
  return operation.kind === 'create';
}

function petsOf(operation: Operation): readonly Pet[] {
  if (operation.kind === 'list') return operation.pets;
  return operation.pet ? [operation.pet] : [];
}

function matchesItsRequest(operation: Operation): boolean {
  if (operation.kind === 'create') return !operation.pet || operation.pet.name === operation.sent.name;
  if (operation.kind === 'get') return !operation.pet || operation.pet.id === operation.id;
  const { after, limit, status, pets } = operation;
  return (
    pets.length <= limit &&
    pets.every(({ id }, index) => id > (pets[index - 1]?.id ?? after)) &&
    pets.every((pet) => status === undefined || pet.status === status)
  );
}

function findIdOutOfOrder(animals: ReadonlyMap<bigint, Create>): string | undefined {
  let firstEnded: Create | undefined;
  for (const [, create] of [...animals].sort(([a], [b]) => (a < b ? 1 : -1))) {
    if (firstEnded && firstEnded.end < create.start)
      return contradiction('a larger id than that of a later animal', [firstEnded, create]);
    if (!firstEnded || create.end < firstEnded.end) firstEnded = create;
  }
  return undefined;
}

/** An operation, and the operations that its response requires before it. */
interface Step {
  readonly operation: Operation;
  readonly before: Step[];
}

/**
 * Wing and Gong's search for a valid order of the operations: it repeatedly takes an operation that started before the
 * end of all remaining ones, and whose response is right in the current state.
 *
 * It searches all animals together, because a list is a snapshot of all of them. It needs no backtracking: an animal
 * appears only once, and its creation is taken only after every read that lacks the animal.
 */
function findImpossibleOrder(history: History, animals: ReadonlyMap<bigint, Create>): string | undefined {
  const steps = stepsOf(history, animals).sort((a, b) => a.operation.start - b.operation.start);
  const left = new Set(steps);
  const isReady = ({ before }: Step) => !before.some((step) => left.has(step));
  for (const first of steps.toSorted((a, b) => a.operation.end - b.operation.end)) {
    while (left.has(first)) {
      const size = left.size;
      for (const step of left) {
        if (step.operation.start > first.operation.end) break;
        if (isReady(step)) left.delete(step);
      }
      if (left.size === size) return contradiction('no order explains these', whatHolds(first, left));
    }
  }
  return undefined;
}

/**
 * Returns the operations of a history with their bounds: a read follows the creations of its animals, and precedes
 * those of missing animals.
 */
function stepsOf(history: History, animals: ReadonlyMap<bigint, Create>): Step[] {
  const stepOf = (operation: Operation): Step => ({ operation, before: [] });
  const creations = [...animals]
    .map(([id, create]) => ({ id, create, step: stepOf(create) }))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const reads = history
    .filter((operation) => operation.kind !== 'create')
    .map((read) => {
      const step = stepOf(read);
      const shown = new Set(petsOf(read).map(({ id }) => id));
      const { after, last, status } = rangeOf(read);
      for (const { id, create, step: creation } of creations) {
        if (id <= after) break;
        if (shown.has(id)) step.before.push(creation);
        // The times already order a creation that starts after the end of the read.
        else if (
          id <= last &&
          create.start <= read.end &&
          (status ?? create.sent.status) === create.sent.status
        )
          creation.before.push(step);
      }
      return step;
    });
  return [...creations.map(({ step }) => step), ...reads];
}

/** Returns whether a read would contain an animal, if the animal exists. */
function rangeOf(read: Get | List): { after: bigint; last: bigint; status?: string | undefined } {
  if (read.kind === 'get') return { after: read.id - 1n, last: read.id };
  const { after, limit, status, pets } = read;
  // A full page says nothing about animals after it.
  return { after, last: (pets.length < limit ? undefined : pets.at(-1)?.id) ?? INT64_MAX, status };
}

/** Describes an operation that blocks the order, the operation that it waits for, and so on. */
function* whatHolds(first: Step, left: ReadonlySet<Step>): Iterable<Operation> {
  const visited = new Set<Step>();
  for (let step: Step | undefined = first; step && !visited.has(step);) {
    visited.add(step);
    yield step.operation;
    step = step.before.find((other) => left.has(other));
  }
}

function contradiction(what: string, operations: Iterable<Operation>): string {
  return [`${what}:`, ...Array.from(operations, describe)].join('\n  ');
}
