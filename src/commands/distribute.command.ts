import type { DynamicModule, Type } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';
import { DataSource } from 'typeorm';

import { type Distribution, distribute } from '../database/citus/distribute.js';
import { withoutMigration } from './with-services.js';

/**
 * How Citus stores the tables of the features. A transaction writes orders and idempotency keys of one account, so they
 * are on the same worker. Primary keys of distributed tables contain the distribution column.
 */
export const DISTRIBUTIONS: readonly Distribution[] = [
  { table: 'pet', column: 'id' },
  { table: 'message', column: 'id' },
  {
    table: 'store_order',
    column: 'account_id',
    preparation: [
      'ALTER TABLE store_order DROP CONSTRAINT IF EXISTS store_order_pet_id_fkey',
      `ALTER TABLE store_order DROP CONSTRAINT store_order_pkey,
        ADD CONSTRAINT store_order_pkey PRIMARY KEY (account_id, id)`,
    ],
  },
  { table: 'idempotency_key', column: 'account_id', colocatedWith: 'store_order' },
  { table: 'account' },
  { table: 'api_key' },
  { table: 'migration' },
];

/** Enough for eight workers. Every page asks each shard, so more of them make pages slower. */
const SHARD_COUNT = 8;

export const addDistribute = (petstore: Command, root: Type | DynamicModule): Command =>
  petstore
    .command('distribute')
    .description('distribute the tables of a migrated database over the workers of Citus')
    .option('--shards <number>', 'the number of shards of each distributed table', shardCount, SHARD_COUNT)
    .action(({ shards }: { shards: number }) =>
      withoutMigration(root, async (services) => {
        const isChanged = await distribute(services.get(DataSource), DISTRIBUTIONS, shards);
        console.log(isChanged ? 'the tables are distributed' : 'nothing to do');
      }),
    );

function shardCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 64_000) {
    throw new InvalidArgumentError('It is not a whole number from 1 to 64000.');
  }
  return count;
}
