/** Many items, in batches that fit into memory. */
export type Batches<Item> = Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>;
