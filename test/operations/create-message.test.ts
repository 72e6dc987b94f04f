import fc from 'fast-check';
import { isUUID } from 'class-validator';
import { expect, test } from 'vitest';

import { text } from '../support/arbitraries.ts';
import { useService } from '../support/service.ts';

interface Message {
  id: string;
  message: string;
  status: string;
  createdAt: string;
}

const service = useService();

test('a message is queued', async () => {
  const before = Date.now();
  const answer = await service.client.post('/v1/messages', { message: 'Hello' });
  const after = Date.now();
  expect(answer.status).toBe(202);
  expect(answer.text).toMatch(/^{"id":"[^"]+","message":"Hello","status":"queued","createdAt":"[^"]+"}$/);
  const { id, createdAt } = answer.body as Message;
  expect(isUUID(id, 7), id).toBe(true);
  expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(createdAt)).toBeLessThanOrEqual(after);
});

test('later messages have later ids', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    ids.push(((await service.client.post('/v1/messages', { message: 'Hello' })).body as Message).id);
  }
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(5);
});

test('any text is stored unchanged as a message', async () => {
  await fc.assert(
    fc.asyncProperty(text, async (message) => {
      const answer = await service.client.post('/v1/messages', { message });
      expect(answer).toMatchObject({ status: 202, body: { message } });
    }),
  );
});

test('the client cannot set fields that the service assigns', async () => {
  const given = { id: 'mine', message: 'Hello', status: 'sent', createdAt: '2000-01-01T00:00:00.000Z' };
  const { id, status, createdAt } = (await service.client.post('/v1/messages', given)).body as Message;
  expect(id).not.toBe('mine');
  expect(status).toBe('queued');
  expect(createdAt).not.toMatch(/^2000/);
});
