import { beforeAll, expect, test } from 'vitest';

import type { Answer } from '../support/client.ts';
import { PublishedDocument } from '../support/published-document.ts';
import { useService } from '../support/service.ts';

const without = (headers: Headers, name: string) =>
  new Headers([...headers].filter(([each]) => each !== name));
const withHeader = (headers: Headers, name: string, value: string) =>
  new Headers([...without(headers, name), [name, value]]);

const changes: [what: string, change: (answer: Answer) => Partial<Answer>][] = [
  ['an undocumented status', () => ({ status: 200 })],
  ['a missing field', ({ text }) => ({ text: text.replace('"categoryId":1,', '') })],
  ['a wrong type', ({ text }) => ({ text: text.replace('"Kitty"', '1') })],
  ['a value outside of an enumeration', ({ text }) => ({ text: text.replace('"sold"', '"gone"') })],
  ['a number outside of its bounds', ({ text }) => ({ text: text.replace(':1', ':1e30') })],
  ['a body that is no JSON', () => ({ text: '{' })],
  ['another media type', ({ headers }) => ({ headers: withHeader(headers, 'content-type', 'text/plain') })],
  ['a missing header', ({ headers }) => ({ headers: without(headers, 'location') })],
  ['an empty header', ({ headers }) => ({ headers: withHeader(headers, 'location', '') })],
  ['an undocumented header', ({ headers }) => ({ headers: withHeader(headers, 'retry-after', '1') })],
];

const service = useService();
let document: PublishedDocument;
let answer: Answer;
beforeAll(async () => {
  document = await PublishedDocument.of(service.url);
  answer = await service.client.post('/v1/pets', { name: 'Kitty', categoryId: 1, status: 'sold' });
});

test.for(changes)("the tests' client rejects %s", ([, change]) => {
  expect(() => document.check('POST', '/v1/pets', { ...answer, ...change(answer) })).toThrow();
});
