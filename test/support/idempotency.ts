import { DataSource } from 'typeorm';

import { IdempotencyService } from '#src/idempotency/idempotency.service';

import type { Client } from './client.ts';
import type { Service } from './service.ts';

/** Returns the options of a request with an Idempotency-Key. */
export const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

/**
 * Runs work while a request with this Idempotency-Key is in progress inside the service, for the account 'busy'. Only on
 * PostgreSQL: the embedded database has one connection, which this request holds.
 */
export async function whileKeyIsInUse<Result>(
  service: Service,
  key: string,
  act: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await service.clientOf('busy');
  const [{ id: accountId }] = await service.app
    .get(DataSource)
    .query<[{ id: bigint }]>(`SELECT id FROM account WHERE name = 'busy'`);
  const started = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<never>();
  const request = { accountId, key, operation: 'test', markReplayed: () => undefined };
  const running = service.app.get(IdempotencyService).run(request, {}, () => {
    started.resolve(undefined);
    return ended.promise;
  });
  const failed = running.catch(() => undefined);
  try {
    await started.promise;
    return await act(client);
  } finally {
    ended.reject(new Error('nothing comes of it'));
    await failed;
  }
}
