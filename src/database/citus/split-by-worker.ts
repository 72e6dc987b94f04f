import type { Session, Statement } from '../session.js';

/** A distributed table and the SQL type of its distribution column. */
export interface DistributedTable {
  readonly name: string;
  readonly keyType: 'bigint' | 'uuid';
}

/**
 * Runs work on rows of a distributed table in parallel, once for the rows of each worker. While a worker is
 * unavailable, only the work on its rows fails.
 *
 * @param keyOf returns the value of the distribution column
 * @param work processes the items of one worker, and returns their results in the order of the items
 * @returns a promise for each item, in the order of the items. All of them are settled.
 */
export async function splitByWorker<Item, Result>(
  session: Session,
  table: DistributedTable,
  items: readonly Item[],
  keyOf: (item: Item) => bigint | string,
  work: (items: Item[]) => Promise<Result[]>,
): Promise<Promise<Result>[]> {
  const workers = await findWorkers(session, table, items.map(keyOf));
  const itemsOf = Map.groupBy(items, (_item, index) => workers[index]);
  const runs = new Map([...itemsOf].map(([worker, ofWorker]) => [worker, work(ofWorker)]));
  await Promise.allSettled(runs.values());
  const taken = new Map<number | null | undefined, number>();
  return workers.map(async (worker) => {
    const position = taken.get(worker) ?? 0;
    taken.set(worker, position + 1);
    return (await runs.get(worker))?.[position] as Result;
  });
}

/** Returns the number of the worker of each key. It is null for a single key or a table that is not distributed. */
async function findWorkers(
  session: Session,
  table: DistributedTable,
  keys: readonly (bigint | string)[],
): Promise<(number | null)[]> {
  if (keys.length === 1) return [null];
  const rows = await session.query<{ worker: number | null }>(statementFor(table), [keys]);
  return rows.map(({ worker }) => worker);
}

function statementFor({ name, keyType }: DistributedTable): Statement {
  return {
    name: `${name}-workers`,
    // A shard has several placements if its table is replicated.
    text: `SELECT (
             SELECT min(groupid) FROM pg_dist_placement WHERE shardid =
               CASE partition.partmethod WHEN 'h' THEN get_shard_id_for_distribution_column('${name}', item.key) END
           ) AS worker
           FROM unnest($1::${keyType}[]) WITH ORDINALITY AS item (key, number)
           LEFT JOIN pg_dist_partition AS partition ON partition.logicalrelid = '${name}'::regclass
           ORDER BY item.number`,
  };
}
