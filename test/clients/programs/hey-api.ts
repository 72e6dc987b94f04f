import { type Client, createClient } from './generated/client/index.js';
import type { Error as ErrorBody } from './generated/index.js';
import * as operations from './generated/sdk.gen.js';

/** Calls operations by the functions that Hey API generated, and returns a part of each response. */
export async function callOperations(
  baseUrl: string,
  key: string,
): Promise<Partial<Record<keyof typeof operations, unknown>>> {
  const client = createClient({ baseUrl, auth: key });
  const created = await operations.createPet({
    client,
    headers: { 'Idempotency-Key': 'a-cat' },
    body: { name: 'Kitty Cat', categoryId: 2, status: 'available' },
  });
  if (!created.data) throw new Error(created.error.message);
  const petId: number = created.data.id;
  const listed = await operations.listPets({ client, query: { limit: 1, status: 'available' } });
  const found = await operations.getPet({ client, path: { petId } });
  const placed = await operations.placeOrder({ client, body: { petId } });
  const orders = await operations.listOrders({ client });
  const queued = await operations.createMessage({ client, body: { message: 'The cat is ready.' } });
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
  const client = createClient({ baseUrl, auth: key });
  const { data, error } = await operations.getPet({ client, path: { petId: 1_000_000 } });
  return data ? undefined : { code: error.code, message: error.message, status: error.status };
}

/** Code that must not compile. It is never called. */
export async function mistake(client: Client): Promise<void> {
  const { data, error } = await operations.listPets({ client });
  // @ts-expect-error A code is text.
  const code: number | undefined = error?.code;
  // @ts-expect-error An error has no such field.
  const reason: unknown = error?.reason;
  // @ts-expect-error An animal may have no status.
  const status: string | undefined = data?.[0]?.status.toUpperCase();
  // @ts-expect-error There is no such status.
  await operations.listPets({ client, query: { status: 'gone' } });
  // @ts-expect-error A new animal needs a category.
  await operations.createPet({ client, body: { name: 'Kitty Cat' } });
  void [code, reason, status];
}
