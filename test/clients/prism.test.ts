import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { INT64_MAX } from '../support/arbitraries.ts';
import { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { startValidatingProxy } from '../support/validating-proxy.ts';

interface Document {
  components: { schemas: { Pet: { properties: Record<string, { type: string }>; required: string[] } } };
  paths: Record<'/pets', { post: { responses: Record<string, { headers: Record<string, object> }> } }>;
}

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

const newPet = { name: 'Kitty Cat', categoryId: INT64_MAX };

/** A client that reaches the service through Prism, which is given a changed document. */
async function clientThroughPrism(change: (document: Document) => void): Promise<Client> {
  const document = JSON.parse((await service.client.get('/openapi.json')).text) as Document;
  change(document);
  const proxy = await startValidatingProxy(service.url, document);
  onTestFinished(() => proxy.stop());
  return Client.of(proxy.url, service.client.key);
}

test('answers that are as the document says pass unchanged, also to requests that are not', async () => {
  const client = await clientThroughPrism(() => undefined);
  expect(await client.post('/v1/pets', newPet)).toMatchObject({ status: 201, body: newPet });
  expect(await client.send('POST', '/v1/pets', { rawBody: '{"name":' })).toMatchObject({ status: 400 });
  expect(await client.withKey(undefined).get('/v1/pets')).toMatchObject({ status: 401 });
  expect(await client.get('/v1/birds')).toMatchObject({ status: 404 });
});

const violations: [what: string, change: (document: Document) => void][] = [
  ['a missing field', ({ components }) => components.schemas.Pet.required.push('colour')],
  ['a wrong type', ({ components }) => (components.schemas.Pet.properties['name'] = { type: 'integer' })],
  [
    'a status that is not documented',
    ({ paths }) => Reflect.deleteProperty(paths['/pets'].post.responses, '201'),
  ],
];

test.for(violations)('%s fails the test that gets it', async ([, change]) => {
  const client = await clientThroughPrism(change);
  await expect(client.post('/v1/pets', newPet)).rejects.toThrow('application/problem+json');
});
