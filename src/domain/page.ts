/** A page of a list in the order of ids, and where the next one starts. */
export class Page<Item> {
  constructor(
    readonly items: readonly Item[],
    /** The id after which the next page starts; undefined on the last page. */
    readonly nextAfter: bigint | undefined,
  ) {}

  /** Makes a page of up to `limit` items from a list that was read with one more, if there is one. */
  static from<Item extends { id: bigint }>(itemsAndOneMore: readonly Item[], limit: number): Page<Item> {
    const items = itemsAndOneMore.slice(0, limit);
    return new Page(items, itemsAndOneMore.length > limit ? items.at(-1)?.id : undefined);
  }
}
