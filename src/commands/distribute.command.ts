import { Command, InvalidArgumentError } from 'commander';

import type { Composition } from '../composition/composition.js';
import { readConfig } from '../config/config.js';
import { distribute, planDistribution } from '../database/citus/distribute.js';
import { withDataSource } from '../database/with-data-source.js';

/** The default of Citus. */
const SHARD_COUNT = 32;

interface Options {
  shards: number;
  dryRun?: boolean;
}

/** `petstore distribute` */
export const distributeCommand = ({ migrations }: Composition): Command =>
  new Command('distribute')
    .description('distribute the tables of a migrated database over the workers of Citus')
    .option('--shards <number>', 'the number of shards of each distributed table', shardCount, SHARD_COUNT)
    .option('--dry-run', 'print the SQL instead of running it')
    .action(({ shards, dryRun = false }: Options) =>
      withDataSource(readConfig(process.env), migrations, async (dataSource) => {
        const statements = await (dryRun ? planDistribution : distribute)(dataSource, shards);
        if (statements.length === 0) console.log(dryRun ? '-- nothing to do' : 'nothing to do');
        else if (dryRun) console.log(['BEGIN', ...statements, 'COMMIT;'].join(';\n'));
        else console.log('the tables are distributed');
      }),
    );

function shardCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 64_000) {
    throw new InvalidArgumentError('It is not a whole number from 1 to 64000.');
  }
  return count;
}
