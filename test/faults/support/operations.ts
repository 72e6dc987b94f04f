import type { Received } from './exchange.ts';
import type { Ledger, StoredPet } from './ledger.ts';

/** A random valid request, and the check of its success. */
export interface Operation {
  method: 'GET' | 'POST';
  path: string;
  json?: object;
  /** Records the response. Returns an error if it is wrong. */
  accept: (answer: Received) => string | undefined;
}

/** The length of a page. */
const PAGE = 50;

/** The operations of the load. Of ten requests, five write and five read. */
export function chooseOperation(ledger: Ledger): Operation {
  const petId = ledger.anyPetId();
  const dice = Math.random() * 10;
  if (dice < 3 || petId === undefined) return createPet(ledger);
  if (dice < 4) return placeOrder(ledger, petId);
  if (dice < 5) return queueMessage(ledger);
  return dice < 8 ? getPet(ledger, petId) : listPets(ledger, petId);
}

/** Returns the error in a response that is not a success. Only a 503 with Retry-After is allowed. */
export function errorIn({ status, headers, body }: Received): string | undefined {
  if (status !== 503) return 'neither success nor 503';
  if (headers['retry-after'] === undefined) return 'no Retry-After';
  if (headers['content-type'] !== 'application/json; charset=utf-8') return 'no JSON';
  if (!has(body, ['code', 'message', 'status'])) return 'no Error body';
  return body['code'] === 'unavailable' && body['status'] === 503n ? undefined : 'another code';
}

function createPet(ledger: Ledger): Operation {
  const json = { name: ledger.newText(), categoryId: BigInt(Math.floor(Math.random() * 1000)) };
  return {
    method: 'POST',
    path: '/v1/pets',
    json,
    accept: ({ status, headers, body }) => {
      if (status !== 201 || !has(body, ['id', 'name', 'categoryId'])) return 'no animal';
      const id = body['id'] as bigint;
      if (body['name'] !== json.name || body['categoryId'] !== json.categoryId) return 'another animal';
      if (headers.location !== `/v1/pets/${id}`) return 'another location';
      return ledger.addPet({ id, ...json });
    },
  };
}

function placeOrder(ledger: Ledger, petId: bigint): Operation {
  return {
    method: 'POST',
    path: '/v1/store/orders',
    json: { petId },
    accept: ({ status, body }) => {
      if (status !== 201 || !has(body, ['id', 'petId', 'status', 'createdAt'])) return 'no order';
      if (body['petId'] !== petId) return 'an order of another animal';
      return ledger.addOrder({ id: body['id'] as bigint, petId });
    },
  };
}

function queueMessage(ledger: Ledger): Operation {
  const message = ledger.newText();
  return {
    method: 'POST',
    path: '/v1/messages',
    json: { message },
    accept: ({ status, body }) => {
      if (status !== 202 || !has(body, ['id', 'message', 'status', 'createdAt'])) return 'no message';
      if (body['message'] !== message) return 'another message';
      return ledger.addMessage({ id: body['id'] as string, message });
    },
  };
}

function getPet(ledger: Ledger, petId: bigint): Operation {
  return {
    method: 'GET',
    path: `/v1/pets/${petId}`,
    accept: ({ status, body }) => {
      if (status !== 200 || !isPet(body)) return 'no animal';
      return body.id === petId ? ledger.addShown(body) : 'another animal';
    },
  };
}

/**
 * The page that contains a known animal. Clients request the newest one at the same time as others create its animals. It
 * must contain those that are known when it is requested.
 */
export function listPets(ledger: Ledger, petId: bigint): Operation {
  const after = petId - 1n - ((petId - 1n) % BigInt(PAGE));
  const ids = Array.from({ length: PAGE }, (_, index) => after + 1n + BigInt(index));
  const known = ledger.isDistributed ? [petId] : ids.filter((id) => ledger.known.has(id));
  return {
    method: 'GET',
    path: `/v1/pets?limit=${PAGE}&after=${after}`,
    accept: ({ status, body }) => {
      if (status !== 200 || !Array.isArray(body) || body.length > PAGE) return 'no list';
      const pets: unknown[] = body;
      if (!pets.every(isPet)) return 'no animal';
      if (pets.some(({ id }, index) => id <= (pets[index - 1]?.id ?? after))) return 'another order';
      const shown = new Set(pets.map(({ id }) => id));
      if (known.some((id) => !shown.has(id))) return 'an animal is missing';
      return pets.map((pet) => ledger.addShown(pet)).find((problem) => problem !== undefined);
    },
  };
}

function isPet(body: unknown): body is StoredPet {
  return has(body, ['id', 'name', 'categoryId']);
}

function has(body: unknown, names: string[]): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && Object.keys(body).sort().join() === names.sort().join();
}
