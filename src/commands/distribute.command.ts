import type { DynamicModule, Type } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';
import { DataSource } from 'typeorm';

import { ACCOUNT_DISTRIBUTION } from '../auth/accounts.repository.js';
import { distribute } from '../database/citus/distribute.js';
import { IDEMPOTENCY_DISTRIBUTION } from '../idempotency/idempotency.repository.js';
import { MESSAGE_DISTRIBUTION } from '../messages/citus-messages.repository.js';
import { PET_DISTRIBUTION } from '../pets/citus-pets.repository.js';
import { ORDER_DISTRIBUTION } from '../store/store.repository.js';
import { withoutMigration } from './with-services.js';

/** How Citus stores the tables of the features. */
export const DISTRIBUTIONS = [
  PET_DISTRIBUTION,
  MESSAGE_DISTRIBUTION,
  ORDER_DISTRIBUTION,
  IDEMPOTENCY_DISTRIBUTION,
  ACCOUNT_DISTRIBUTION,
];

/** The default of Citus. */
const SHARD_COUNT = 32;

/** Adds `petstore distribute`. */
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
