import { expect, test } from 'vitest';

import { Ledger } from './support/ledger.ts';
import { listPets } from './support/operations.ts';
import type { Rows } from './support/store.ts';

/** Creates a ledger of one animal, one order, one message and one key, and the expected rows. */
function consistent(): { ledger: Ledger; rows: Rows } {
  const ledger = new Ledger();
  const pet = { id: 1n, name: ledger.newText(), categoryId: 7n };
  const order = { id: 1n, petId: 1n };
  const message = { id: 'a', message: ledger.newText() };
  ledger.addPet(pet);
  ledger.addOrder(order);
  ledger.addMessage(message);
  ledger.keys.add('key');
  return {
    ledger,
    rows: { pets: [{ ...pet }], orders: [{ ...order }], messages: [{ ...message }], keys: ['key'] },
  };
}

test('rows that match their acknowledgements are neither lost nor wrong, and unacknowledged rows are allowed', () => {
  const { ledger, rows } = consistent();
  rows.pets.push({ id: 2n, name: ledger.newText(), categoryId: 1n });
  rows.orders.push({ id: 2n, petId: 2n });
  expect(ledger.judge(rows)).toEqual({ lost: 0, wrong: 0, examples: [] });
});

test.each(['pets', 'orders', 'messages', 'keys'] as const)(
  'of the %s, each that is missing counts as lost',
  (kind) => {
    const { ledger, rows } = consistent();
    expect(ledger.judge({ ...rows, [kind]: [] })).toMatchObject({ lost: 1, wrong: 0 });
  },
);

test.each([
  ['an animal of another name', ({ pets: [pet] }: Rows) => Object.assign({}, pet, { name: 'x' }), 2],
  ['an animal of another category', ({ pets: [pet] }: Rows) => Object.assign({}, pet, { categoryId: 8n }), 1],
])('%s counts as wrong', (_name, change, wrong) => {
  const { ledger, rows } = consistent();
  expect(ledger.judge({ ...rows, pets: [change(rows)] as Rows['pets'] })).toMatchObject({ lost: 0, wrong });
});

test('a duplicate of a row counts as wrong, and so does a row that no client sent', () => {
  const { ledger, rows } = consistent();
  const twice = rows.pets.map((pet) => ({ ...pet, id: 9n }));
  expect(ledger.judge({ ...rows, pets: [...rows.pets, ...twice] })).toMatchObject({ lost: 0, wrong: 1 });
  const foreign = { id: 'b', message: 'x' };
  expect(ledger.judge({ ...rows, messages: [...rows.messages, foreign] })).toMatchObject({ wrong: 1 });
});

test('an animal that differs from an earlier response is a contradiction', () => {
  const ledger = new Ledger();
  const pet = { id: 1n, name: ledger.newText(), categoryId: 7n };
  expect(ledger.addShown(pet)).toBeUndefined();
  expect(ledger.addPet(pet)).toBeUndefined();
  expect(ledger.addShown({ ...pet, categoryId: 8n })).toBe('differs from an earlier response');
  expect(ledger.addShown({ ...pet, id: 2n, name: 'x' })).toBe('no client sent this animal');
});

test('a page must contain the animals that were shown before it was requested', () => {
  const ledger = new Ledger();
  const pets = [1n, 2n, 3n].map((id) => ({ id, name: ledger.newText(), categoryId: id }));
  const page = (body: unknown) =>
    ({ kind: 'answer', status: 200, headers: {}, text: '', durationMs: 0, body }) as const;
  const [first, second] = pets;
  for (const pet of pets.slice(0, 2)) ledger.addShown(pet);
  const list = listPets(ledger, 1n);
  expect(list.accept(page([first]))).toBe('an animal is missing');
  expect(list.accept(page([second, first]))).toBe('another order');
  expect(list.accept(page(pets))).toBeUndefined();
  expect(list.accept(page([first, second]))).toBeUndefined();
  expect(listPets(ledger, 2n).accept(page([first, second]))).toBe('an animal is missing');
});
