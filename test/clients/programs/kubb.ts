import type { RequestConfig } from '@kubb/plugin-client/clients/fetch';

import type { Error as ErrorBody } from './generated/index.js';
import * as operations from './generated/index.js';

const options = (baseURL: string, key: string): Partial<RequestConfig<never>> => ({
  baseURL,
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
});

/** Calls operations by the functions that Kubb generated, and returns a part of each response. */
export async function callOperations(baseUrl: string, key: string): Promise<Record<string, unknown>> {
  const config = options(baseUrl, key);
  const created = await operations.createPet(
    { name: 'Kitty Cat', categoryId: 2, status: 'available' },
    { 'Idempotency-Key': 'a-cat' },
    config,
  );
  const petId: number = created.id;
  const listed = await operations.listPets({ limit: 1, status: 'available' }, config);
  const found = await operations.getPet(petId, config);
  const placed = await operations.placeOrder({ petId }, undefined, config);
  const orders = await operations.listOrders(undefined, config);
  const queued = await operations.createMessage({ message: 'The cat is ready.' }, undefined, config);
  return {
    createPet: created,
    listPets: listed.map(({ id, status }) => ({ id, status })),
    getPet: found.name,
    placeOrder: placed.petId,
    listOrders: orders.map((order) => order.petId),
    createMessage: queued.status,
  };
}

/** Requests an animal that does not exist. Kubb's client returns the body of an error like any other. */
export async function fail(baseUrl: string, key: string): Promise<ErrorBody> {
  const body: unknown = await operations.getPet(1_000_000, options(baseUrl, key));
  return body as operations.GetPet404;
}

/** Code that must not compile. It is never called. */
export async function mistake(): Promise<void> {
  const pets = await operations.listPets();
  // @ts-expect-error An animal may have no status.
  pets[0]?.status.toUpperCase();
  // @ts-expect-error There is no such status.
  await operations.listPets({ status: 'gone' });
  // @ts-expect-error A new animal needs a category.
  await operations.createPet({ name: 'Kitty Cat' });
}
