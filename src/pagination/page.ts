import { shareJson, stringifyJson } from '../domain/json.js';
import { MAX_PAGE_CHARACTERS } from '../limits.js';

/** A request for a page: up to `limit` items with ids above `after`, for an account. */
export interface PageRequest {
  readonly accountId: bigint;
  readonly after: bigint;
  readonly limit: number;
}

/** A page of a list in the order of ids, with the cursor of the next page. */
export class Page<Item> {
  constructor(
    readonly items: readonly Item[],
    /** The id after which the next page starts. Undefined on the last page. */
    readonly nextAfter: bigint | undefined,
  ) {}

  /**
   * Creates a page of up to `limit` items from a list that was read with a limit of one more. The page ends before its
   * JSON text exceeds 256 KiB, but contains at least one item. All responses with its array share the text.
   */
  static from<Item extends { id: bigint }>(itemsAndOneMore: readonly Item[], limit: number): Page<Item> {
    const texts: string[] = [];
    let characters = 0;
    for (const item of itemsAndOneMore.slice(0, limit)) {
      const text = stringifyJson(item);
      characters += text.length;
      if (characters > MAX_PAGE_CHARACTERS && texts.length > 0) break;
      texts.push(text);
    }
    const items = itemsAndOneMore.slice(0, texts.length);
    shareJson(items, `[${texts.join(',')}]`);
    return new Page(items, items.length < itemsAndOneMore.length ? items.at(-1)?.id : undefined);
  }
}
