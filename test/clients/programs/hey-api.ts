import type { Client } from './generated/client/index.js';
import * as operations from './generated/sdk.gen.js';

/** Code that must not compile. It is never called. */
export async function mistake(client: Client): Promise<void> {
  const { data, error } = await operations.listPets({ client, query: { limit: 1, status: 'available' } });
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
