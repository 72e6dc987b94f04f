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
 * Checks a history against what the service promises of animals: returns the first contradiction
 * that it finds, told to a person; undefined when there is none.
 *
 * An animal is a register that is absent, then present with the values of its creation, for good.
 * The list of them is append-only. Every operation takes effect at an instant between its request and
 * its answer, one at a time, whichever replica answers. So:
 *
 * - What a create has acknowledged, or a read has shown, is in every get of it and every list that
 *   starts later and whose filter and range take it in.
 * - A list is a picture of one instant: two of them never disagree on which animal came first.
 * - A list is in the order of ids. An animal whose creation starts after another one was
 *   acknowledged has the larger id.
 *
 * Nothing more is promised of ids. They are drawn from a sequence before the commit, so of two
 * creations that overlap the smaller id may appear later: a list may show 7 without 6, and a later
 * one both; who pages by `after` may have passed 6 by then. A creation whose outcome is unknown
 * overlaps all that comes after it: it takes effect at any time, or never.
 */
export function findContradiction(history: History): string | undefined {
  const creates = new Map(history.filter(isCreate).map((create) => [create.sent.name, create]));
  const animals = new Map<bigint, Create>();
  for (const operation of history) {
    for (const pet of petsOf(operation)) {
      const create = creates.get(pet.name);
      if (!create || !isDeepStrictEqual(pet, { id: pet.id, ...create.sent }))
        return tell('an animal that nobody created', [operation]);
      if ((animals.get(pet.id) ?? create) !== create) return tell('an id that two animals have', [operation]);
      animals.set(pet.id, create);
    }
    if (!isWhatWasAskedFor(operation)) return tell('an answer to another question', [operation]);
  }
  if (new Set(animals.values()).size < animals.size) return tell('an animal with two ids', animals.values());
  return findIdOutOfOrder(animals) ?? findImpossibleOrder(history, animals);
}

function isCreate(operation: Operation): operation is Create {
  return operation.kind === 'create';
}

function petsOf(operation: Operation): readonly Pet[] {
  if (operation.kind === 'list') return operation.pets;
  return operation.pet ? [operation.pet] : [];
}

function isWhatWasAskedFor(operation: Operation): boolean {
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
      return tell('a larger id than that of a later animal', [firstEnded, create]);
    if (!firstEnded || create.end < firstEnded.end) firstEnded = create;
  }
  return undefined;
}

/** An operation, and those which its answer puts before it. */
interface Step {
  readonly operation: Operation;
  readonly before: Step[];
}

/**
 * Wing and Gong's search for an order in which all operations can have taken effect: again and again
 * it takes one that started before any that is left has ended, and whose answer is right by now.
 *
 * It goes over all animals at once, since a list is a picture of all of them. It never has to take
 * back a choice: an animal appears only once, and its creation is taken no sooner than every read
 * that lacks it.
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
      if (left.size === size) return tell('no order explains these', whatHolds(first, left));
    }
  }
  return undefined;
}

/** The operations of a history with their bounds: a read comes after what it shows, and before what it lacks. */
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
        // Of a creation that starts after the end of the read, time alone says it.
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

/** Which animals a read shows, if they are there: those after one id up to another, of a status or of any. */
function rangeOf(read: Get | List): { after: bigint; last: bigint; status?: string | undefined } {
  if (read.kind === 'get') return { after: read.id - 1n, last: read.id };
  const { after, limit, status, pets } = read;
  // What a full page leaves out may come behind it.
  return { after, last: (pets.length < limit ? undefined : pets.at(-1)?.id) ?? INT64_MAX, status };
}

/** An operation that cannot be taken though it must be next, what it waits for, and so on. */
function* whatHolds(first: Step, left: ReadonlySet<Step>): Iterable<Operation> {
  const told = new Set<Step>();
  for (let step: Step | undefined = first; step && !told.has(step);) {
    told.add(step);
    yield step.operation;
    step = step.before.find((other) => left.has(other));
  }
}

function tell(what: string, operations: Iterable<Operation>): string {
  return [`${what}:`, ...Array.from(operations, describe)].join('\n  ');
}
