import { describe, expect, test } from 'vitest';

import type { Create, Get, History, List } from './support/history.ts';
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

test('finds no contradiction when an animal is not of the status asked for', () => {
  expect(findContradiction([create(1n, 0, 1), list([], 2, 3, { status: 'sold' })])).toBeUndefined();
});

describe('finds the contradiction', () => {
  test.each<[string, RegExp, History]>([
    [
      'of a list of one status that misses it',
      /order/,
      [
        { ...create(1n, 0, 1), sent: sold(1n), pet: { id: 1n, ...sold(1n) } },
        list([], 2, 3, { status: 'sold' }),
      ],
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

function sold(id: bigint) {
  return { name: `${id}`, categoryId: 1n, status: 'sold' };
}
