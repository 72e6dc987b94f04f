import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Service, startService } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('an empty store lists no animals', async () => {
  const answer = await service.client.get('/v1/pets');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual([]);
  expect(answer.headers.has('link')).toBe(false);
});
