import type { Error as ErrorBody } from './generated/api.js';
import * as operations from './generated/api.js';
import { CreatePetBody, GetPetResponse, ListPetsResponse } from './generated/zod.js';

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

/**
 * Calls operations by the functions that orval generated, checks animals by its zod schemas, and returns a part of
 * each response. The functions hold the address of the document's first server.
 */
export async function callOperations(_baseUrl: string, key: string): Promise<Record<string, unknown>> {
  const options = { headers: withKey(key) };
  const created = await operations.createPet(
    CreatePetBody.parse({ name: 'Kitty Cat', categoryId: 2, status: 'available' }),
    { headers: { ...withKey(key), 'Idempotency-Key': 'a-cat' } },
  );
  if (created.status !== 201) throw new Error(created.data.message);
  const petId: number = created.data.id;
  const listed = await operations.listPets({ limit: 1, status: 'available' }, options);
  const found = await operations.getPet(petId, options);
  const placed = await operations.placeOrder({ petId }, options);
  const orders = await operations.listOrders({}, options);
  const queued = await operations.createMessage({ message: 'The cat is ready.' }, options);
  return {
    createPet: created.data,
    listPets: ListPetsResponse.parse(listed.data).map(({ id, status }) => ({ id, status })),
    getPet: GetPetResponse.parse(found.data).name,
    placeOrder: placed.status === 201 && placed.data.petId,
    listOrders: orders.status === 200 && orders.data.map((order) => order.petId),
    createMessage: queued.status === 202 && queued.data.status,
  };
}

/** Requests an animal that does not exist, and returns the error with its type. */
export async function fail(_baseUrl: string, key: string): Promise<ErrorBody | undefined> {
  const { status, data } = await operations.getPet(1_000_000, { headers: withKey(key) });
  return status === 404 ? data : undefined;
}

/** Code that must not compile. It is never called. */
export async function mistake(): Promise<void> {
  const { status, data } = await operations.listPets();
  if (status !== 200) {
    // @ts-expect-error A code is a string.
    const code: number = data.code;
    // @ts-expect-error An error has no such field.
    const reason: unknown = data.reason;
    void [code, reason];
    return;
  }
  // @ts-expect-error An animal may have no status.
  data[0]?.status.toUpperCase();
  // @ts-expect-error There is no such status.
  await operations.listPets({ status: 'gone' });
  // @ts-expect-error A new animal needs a category.
  await operations.createPet({ name: 'Kitty Cat' });
}
