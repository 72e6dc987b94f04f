import type { Client } from 'openapi-fetch';

import type { paths } from './generated/openapi.js';

/** Code that must not compile. It is never called. */
export async function mistake(client: Client<paths>): Promise<void> {
  const { data, error } = await client.GET('/pets', { params: { query: { limit: 1, status: 'available' } } });
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
