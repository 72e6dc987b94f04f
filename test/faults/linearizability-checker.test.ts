import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Create, Get, History, List, Operation } from './support/history.ts';
import { findContradiction } from './support/linearizability.ts';

// Histories are written in short form: each operation with the times of its request and of its response. `7` is the
// animal with the id 7.

const petOf = (id: bigint) => ({ id, name: `${id}`, categoryId: 1n });

function create(id: bigint, start: number, end: number): Create {
  const { name, categoryId } = petOf(id);
  return { kind: 'create', client: 0, start, end, sent: { name, categoryId }, pet: petOf(id) };
}

/** A creation with an unknown outcome. */
function unknown(id: bigint, start: number): Create {
  return { ...create(id, start, Infinity), pet: undefined };
}

function get(id: bigint, start: number, end: number, found: boolean): Get {
  return { kind: 'get', client: 0, start, end, id, ...(found && { pet: petOf(id) }) };
}

function list(ids: bigint[], start: number, end: number, bounds: Partial<List> = {}): List {
  return { kind: 'list', client: 0, start, end, after: 0n, limit: 100, pets: ids.map(petOf), ...bounds };
}

describe('finds no contradiction', () => {
  test.each<[string, History]>([
    ['in nothing', []],
    ['in one client', [get(1n, 0, 1, false), create(1n, 2, 3), get(1n, 4, 5, true), list([1n], 6, 7)]],
    ['when a read meets the creation and sees it', [create(1n, 0, 9), get(1n, 1, 2, true)]],
    ['when a read meets the creation and does not see it', [create(1n, 0, 9), get(1n, 1, 2, false)]],
    [
      'when reads that overlap see it and do not see it',
      [create(1n, 0, 9), get(1n, 1, 4, true), get(1n, 2, 3, false)],
    ],
    [
      'when 7 is listed before 6',
      [create(6n, 0, 9), create(7n, 0, 3), list([7n], 4, 5), list([6n, 7n], 6, 7)],
    ],
    ['when an unknown creation never takes effect', [unknown(1n, 0), get(1n, 1, 2, false), list([], 8, 9)]],
    ['when an unknown creation takes effect late', [unknown(1n, 0), list([], 8, 9), get(1n, 10, 11, true)]],
    [
      'when an animal is outside the range of a list',
      [create(1n, 0, 1), create(2n, 2, 3), list([2n], 4, 5, { after: 1n }), list([1n], 4, 5, { limit: 1 })],
    ],
    ['when an animal is not of the status asked for', [create(1n, 0, 1), list([], 2, 3, { status: 'sold' })]],
  ])('%s', (_name, history) => {
    expect(findContradiction(history)).toBeUndefined();
  });
});

describe('finds the contradiction', () => {
  test.each<[string, RegExp, History]>([
    ['of a get that misses what was acknowledged', /order/, [create(1n, 0, 1), get(1n, 2, 3, false)]],
    ['of a list that misses what was acknowledged', /order/, [create(1n, 0, 1), list([], 2, 3)]],
    [
      'of a list of one status that misses it',
      /order/,
      [
        { ...create(1n, 0, 1), sent: sold(1n), pet: { id: 1n, ...sold(1n) } },
        list([], 2, 3, { status: 'sold' }),
      ],
    ],
    [
      'of a full page with a gap',
      /order/,
      [create(1n, 0, 1), create(2n, 2, 3), list([2n], 4, 5, { limit: 1 })],
    ],
    ['of an animal that vanishes', /order/, [create(1n, 0, 9), get(1n, 1, 2, true), get(1n, 3, 4, false)]],
    [
      'of an unknown creation that appears and vanishes',
      /order/,
      [unknown(1n, 0), list([1n], 1, 2), list([], 3, 4)],
    ],
    ['of a read before the creation was asked for', /order/, [get(1n, 0, 1, true), create(1n, 2, 3)]],
    [
      'of two lists that disagree on which came first, while both are created',
      /order/,
      [create(1n, 0, 9), create(2n, 0, 9), list([1n], 1, 8), list([2n], 1, 8)],
    ],
    ['of an animal that no client created', /no client created/, [get(1n, 0, 1, true)]],
    [
      'of an animal that changes',
      /no client created/,
      [create(1n, 0, 1), list([], 2, 3, { pets: [{ ...petOf(1n), categoryId: 2n }] })],
    ],
    [
      'of one creation with two animals',
      /two ids/,
      [unknown(1n, 0), { ...get(2n, 1, 2, true), pet: { ...petOf(1n), id: 2n } }, get(1n, 1, 2, true)],
    ],
    [
      'of a get that answers another animal',
      /another request/,
      [create(1n, 0, 1), { ...get(1n, 2, 3, true), id: 2n }],
    ],
    [
      'of two creations that were answered with each other’s animal',
      /another request/,
      [
        { ...create(1n, 0, 9), pet: petOf(2n) },
        { ...create(2n, 0, 9), pet: petOf(1n) },
      ],
    ],
    ['of a list out of order', /another request/, [create(1n, 0, 1), create(2n, 2, 3), list([2n, 1n], 4, 5)]],
    ['of a list with an animal twice', /another request/, [create(1n, 0, 1), list([1n, 1n], 4, 5)]],
    [
      'of a list that is too long',
      /another request/,
      [create(1n, 0, 1), create(2n, 2, 3), list([1n, 2n], 4, 5, { limit: 1 })],
    ],
    [
      'of a list that starts too early',
      /another request/,
      [create(1n, 0, 1), list([1n], 4, 5, { after: 1n })],
    ],
    ['of a later animal with a smaller id', /larger id/, [create(2n, 0, 1), create(1n, 2, 3)]],
  ])('%s', (_name, contradiction, history) => {
    expect(findContradiction(history)).toMatch(contradiction);
  });
});

test('matches a search through all orders, for small histories', () => {
  fc.assert(
    fc.property(smallHistory, (history) => {
      const explained = ordersOf(history).some((order) => keepsTime(order) && isTrue(order));
      expect(findContradiction(history) === undefined).toBe(explained);
    }),
    { numRuns: 1000 },
  );
});

test('accepts correct histories of large size', () => {
  fc.assert(
    fc.property(largeHistory, (history) => {
      expect(findContradiction(history)).toBeUndefined();
    }),
    { numRuns: 30 },
  );
});

/** The start and the end of an operation. */
const times = fc
  .tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 6 }))
  .map(([start, length]) => [start, start + length] as const);

/** Two overlapping creations of 1 and 2, and reads with any results. */
const smallHistory = fc
  .tuple(
    fc.array(fc.constantFrom(create(1n, 4, 8), create(1n, 2, 10), unknown(1n, 4)), {
      minLength: 1,
      maxLength: 1,
    }),
    fc.array(fc.constantFrom(create(2n, 3, 9), create(2n, 6, 7), unknown(2n, 3)), {
      minLength: 1,
      maxLength: 1,
    }),
    fc.array(
      fc.oneof(
        fc
          .tuple(times, fc.constantFrom(1n, 2n), fc.boolean())
          .map(([[start, end], id, found]) => get(id, start, end, found)),
        fc.tuple(times, fc.subarray([1n, 2n])).map(([[start, end], ids]) => list(ids, start, end)),
        fc.tuple(times, fc.subarray([2n])).map(([[start, end], ids]) => list(ids, start, end, { after: 1n })),
        fc
          .tuple(times, fc.constantFrom<bigint[]>([], [1n], [2n]))
          .map(([[start, end], ids]) => list(ids, start, end, { limit: 1 })),
      ),
      { maxLength: 4 },
    ),
  )
  .map((parts): Operation[] => parts.flat());

/** Returns every order of the operations, with and without the creations with an unknown outcome. */
function ordersOf(history: History): Operation[][] {
  if (history.length === 0) return [[]];
  return history.flatMap((first) => {
    const rest = ordersOf(history.filter((operation) => operation !== first));
    const taken = rest.map((order) => [first, ...order]);
    return first.end === Infinity ? [...taken, ...rest] : taken;
  });
}

function keepsTime(order: Operation[]): boolean {
  return order.every((operation, index) =>
    order.slice(index + 1).every((later) => later.end >= operation.start),
  );
}

/** Returns whether every response matches a sequential execution in this order. */
function isTrue(order: Operation[]): boolean {
  const present = new Set<string>();
  return order.every((operation) => {
    if (operation.kind === 'create') return present.add(operation.sent.name);
    if (operation.kind === 'get') return present.has(`${operation.id}`) === (operation.pet !== undefined);
    const names = ['1', '2'].filter((name) => present.has(name) && BigInt(name) > operation.after);
    return isDeepStrictEqual(
      names.slice(0, operation.limit),
      operation.pets.map(({ name }) => name),
    );
  });
}

/** Simulates a correct service: every operation takes effect at a random time between its request and its response. */
const largeHistory = fc
  .array(
    fc.record({
      kind: fc.constantFrom('create', 'get', 'list', 'list'),
      instant: fc.double({ min: 0, max: 1000, noNaN: true }),
      before: fc.double({ min: 0, max: 30, noNaN: true }),
      after: fc.double({ min: 0, max: 30, noNaN: true }),
      known: fc.boolean(),
      id: fc.bigInt({ min: 1n, max: 200n }),
      limit: fc.integer({ min: 1, max: 50 }),
    }),
    { minLength: 200, maxLength: 400 },
  )
  .map((planned) => {
    const present: bigint[] = [];
    return planned
      .toSorted((a, b) => a.instant - b.instant)
      .map(({ kind, instant, before, after, known, id, limit }): Operation => {
        const [start, end] = [instant - before, instant + after];
        if (kind === 'get') return get(id, start, end, present.includes(id));
        if (kind === 'list')
          return list(present.filter((one) => one > id).slice(0, limit), start, end, { after: id, limit });
        const created = BigInt(present.push(BigInt(present.length + 1)));
        return known ? create(created, start, end) : unknown(created, start);
      });
  });

function sold(id: bigint) {
  return { name: `${id}`, categoryId: 1n, status: 'sold' };
}
