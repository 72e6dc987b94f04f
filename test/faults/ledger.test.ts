import { expect, test } from 'vitest';

import { Ledger } from './support/ledger.ts';
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

test('an animal that differs from its acknowledgement is a contradiction', () => {
  const { ledger, rows } = consistent();
  const [pet] = rows.pets;
  expect(ledger.contradiction({ ...pet })).toBeUndefined();
  expect(ledger.contradiction({ ...pet, categoryId: 8n })).toBe('differs from its acknowledgement');
  expect(ledger.contradiction({ ...pet, id: 2n, name: 'x' })).toBe('no client sent this animal');
});
