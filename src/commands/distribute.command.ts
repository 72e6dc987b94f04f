import { type Command, InvalidArgumentError } from 'commander';

import type { Composition } from '../composition/composition.js';
import { readConfig } from '../config/config.js';
import { distribute, planDistribution } from '../database/citus/distribute.js';
import { withDataSource } from '../database/with-data-source.js';
import { createCommand } from './create-command.js';
import { print } from './output.js';

/** The default of Citus. */
const SHARD_COUNT = 32;

interface Options {
  shards: number;
  dryRun?: boolean;
}

/** `petstore distribute` */
export const distributeCommand = ({ migrations }: Composition): Command =>
  createCommand('distribute')
    .description('distribute the tables of a migrated database over the workers of Citus')
    .option('--shards <number>', 'the number of shards of each distributed table', shardCount, SHARD_COUNT)
    .option('--dry-run', 'print the SQL instead of running it')
    .action(({ shards, dryRun = false }: Options) =>
      withDataSource(readConfig(process.env), migrations, async (dataSource) =>
        print(
          dryRun
            ? script(await planDistribution(dataSource, shards))
            : summaryOf(await distribute(dataSource, shards)),
        ),
      ),
    );

function script(statements: readonly string[]): string {
  return statements.length === 0
    ? '-- nothing to do'
    : ['BEGIN', ...statements, 'COMMIT'].map((statement) => `${statement};`).join('\n');
}

function summaryOf(statements: readonly string[]): string {
  return statements.length === 0 ? 'nothing to do' : 'the tables are distributed';
}

function shardCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 64_000) {
    throw new InvalidArgumentError('It is not a whole number from 1 to 64000.');
  }
  return count;
}
