import pg from 'pg';

import { recordError } from '../database-unavailable.js';

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: pg.PoolClient['release'],
) => void;

/** A pool of connections to the database, whose errors are recorded. */
export class Pool extends pg.Pool {
  /** Has the overloads of pg's method, which end in a callback or return a promise. */
  override connect(callback?: Callback): never {
    if (!callback) {
      return super.connect().catch((error: unknown) => Promise.reject(recordError(error) as Error)) as never;
    }
    super.connect((error, client, release) => callback(recordError(error), client, release));
    return undefined as never;
  }
}
