import createClient, { type Client } from 'openapi-fetch';

import type { components, operations, paths } from './generated/openapi.js';

type ErrorBody = components['schemas']['Error'];

/** Calls operations with the types that openapi-typescript generated, and returns a part of each response. */
export async function callOperations(
  baseUrl: string,
  key: string,
): Promise<Partial<Record<keyof operations, unknown>>> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
  const created = await client.POST('/pets', {
    params: { header: { 'Idempotency-Key': 'a-cat' } },
    body: { name: 'Kitty Cat', categoryId: 2, status: 'available' },
  });
  if (!created.data) throw new Error(created.error.message);
  const petId: number = created.data.id;
  const listed = await client.GET('/pets', { params: { query: { limit: 1, status: 'available' } } });
  const found = await client.GET('/pets/{petId}', { params: { path: { petId } } });
  const placed = await client.POST('/store/orders', { body: { petId } });
  const orders = await client.GET('/store/orders');
  const queued = await client.POST('/messages', { body: { message: 'The cat is ready.' } });
  return {
    createPet: created.data,
    listPets: listed.data?.map(({ id, status }) => ({ id, status })),
    getPet: found.data?.name,
    placeOrder: placed.data?.petId,
    listOrders: orders.data?.map((order) => order.petId),
    createMessage: queued.data?.status,
  };
}

/** Requests an animal that does not exist, and returns the error with its type. */
export async function fail(baseUrl: string, key: string): Promise<ErrorBody | undefined> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
  const { data, error } = await client.GET('/pets/{petId}', { params: { path: { petId: 1_000_000 } } });
  return data ? undefined : { code: error.code, message: error.message, status: error.status };
}

/** Code that must not compile. It is never called. */
export async function mistake(client: Client<paths>): Promise<void> {
  const { data, error } = await client.GET('/pets');
  // @ts-expect-error A code is text.
  const code: number | undefined = error?.code;
  // @ts-expect-error An error has no such field.
  const reason: unknown = error?.reason;
  // @ts-expect-error An animal may have no status.
  const status: string | undefined = data?.[0]?.status.toUpperCase();
  // @ts-expect-error There is no such status.
  await client.GET('/pets', { params: { query: { status: 'gone' } } });
  // @ts-expect-error A new animal needs a category.
  await client.POST('/pets', { body: { name: 'Kitty Cat' } });
  // @ts-expect-error There is no such operation.
  await client.DELETE('/pets');
  void [code, reason, status];
}
