/** Applies an asynchronous function to items, a few at a time, and returns its results in the order of the items. */
export async function mapInLanes<Item, Result>(
  items: readonly Item[],
  laneCount: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  const runLane = async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: laneCount }, runLane));
  return results;
}
