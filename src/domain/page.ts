import { stringifyJson } from './json.js';

/** The number of items on a page if the client states none. */
export const DEFAULT_PAGE_SIZE = 20;

/** A page of a list in the order of ids, and where the next one starts. */
export class Page<Item> {
  private text: string | undefined;

  constructor(
    readonly items: readonly Item[],
    /** The id after which the next page starts; undefined on the last page. */
    readonly nextAfter: bigint | undefined,
  ) {}

  /** Makes a page of up to `limit` items from a list that was read with a limit of one more. */
  static from<Item extends { id: bigint }>(itemsAndOneMore: readonly Item[], limit: number): Page<Item> {
    const items = itemsAndOneMore.slice(0, limit);
    return new Page(items, itemsAndOneMore.length > limit ? items.at(-1)?.id : undefined);
  }

  /** The items as JSON text, written once for all requests that share the page. */
  get json(): string {
    return (this.text ??= stringifyJson(this.items));
  }
}
