import type { NestExpressApplication } from '@nestjs/platform-express';
import { AccountsService, KeyVerifier } from 'petstore';
import { createTestApp } from 'petstore/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { composition } from './composition.js';
import { tokensConfig } from './tokens/tokens.config.js';
import { webhookConfig } from './webhooks/webhook.config.js';

let app: NestExpressApplication;
beforeAll(async () => {
  app = await createTestApp(composition, (builder) =>
    builder
      .overrideProvider(tokensConfig.KEY)
      .useValue({ jwksUrl: 'http://127.0.0.1:9/', issuer: 'test', audience: 'test' })
      .overrideProvider(webhookConfig.KEY)
      .useValue({ url: 'http://127.0.0.1:9/', secret: 'whsec_dGVzdA==' })
      .overrideProvider(KeyVerifier)
      .useFactory({
        inject: [AccountsService],
        factory: (accounts: AccountsService) => ({
          description: 'Any token.',
          findCaller: async () => ({
            account: await accounts.getOrCreate('till'),
            keyId: 'till',
            scopes: [],
          }),
        }),
      }),
  );
  await app.listen(0, '127.0.0.1');
}, 60_000);
afterAll(() => app.close());

const send = async (path: string, init: RequestInit = {}) => {
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' };
  return fetch((await app.getUrl()) + path, { ...init, headers });
};

test('the whole service runs on an empty database, with providers of the test', async () => {
  expect(await (await send('/v1/pets')).json()).toEqual([]);
});

test('a metric is in the registry', async () => {
  const visit = { petId: 1, reason: 'limps', weightGrams: 4000, owner: { name: 'Ann', customerId: 7 } };
  expect((await send('/clinic/visits', { method: 'POST', body: JSON.stringify(visit) })).status).toBe(201);
  const text = await app.get(Registry).getSingleMetricAsString('clinic_visits_total');
  expect(text).toContain('clinic_visits_total{urgency="low"} 1');
});
