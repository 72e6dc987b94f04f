import { stringifyJson } from '../domain/json.js';
import { yieldToEventLoop } from '../domain/yield-to-event-loop.js';

/** The maximum JSON length of a short page. A long page is sent in pieces, so that it is never in memory as a whole. */
const MAX_SHORT_CHARACTERS = 256 * 1024;

/** The minimum length of a piece. */
const MIN_PIECE_CHARACTERS = 64 * 1024;

/** A request for a page: up to `limit` items with ids above `after`, for an account. */
export interface PageRequest {
  readonly accountId: bigint;
  readonly after: bigint;
  readonly limit: number;
}

/** A page of a list in the order of ids, with the cursor of the next page. */
export class Page<Item extends object> {
  /** The JSON texts of the items and, in a page of {@link Page.shorten}, of the items after them. */
  private texts: string[] = [];
  private shortJson: string | undefined;
  private isLong = false;

  constructor(
    readonly items: readonly Item[],
    /** The id after which the next page starts. Undefined on the last page. */
    readonly nextAfter: bigint | undefined,
  ) {}

  /** Creates a page of up to `limit` items from a list that was read with a limit of one more. */
  static from<Item extends { id: bigint }>(itemsAndOneMore: readonly Item[], limit: number): Page<Item> {
    const items = itemsAndOneMore.slice(0, limit);
    return new Page(items, itemsAndOneMore.length > limit ? items.at(-1)?.id : undefined);
  }

  /** Returns the page of up to `limit` first items of a page. Each item is serialized once for both pages. */
  static shorten<Item extends { id: bigint }>(page: Page<Item>, limit: number): Page<Item> {
    if (limit >= page.items.length) return page;
    const shortened = Page.from(page.items, limit);
    shortened.texts = page.texts;
    return shortened;
  }

  /** The items, for an interceptor that puts the page into another object. */
  toJSON(): readonly Item[] {
    return this.items;
  }

  /** The items as JSON text, serialized once for all requests that share the page. Undefined for a long page. */
  toShortJson(): string | undefined {
    if (this.isLong || this.shortJson !== undefined) return this.shortJson;
    const { items, texts } = this;
    let characters = 0;
    for (const [index, item] of items.entries()) {
      const text = (texts[index] ??= stringifyJson(item));
      characters += text.length;
      this.isLong = characters > MAX_SHORT_CHARACTERS;
      if (this.isLong) return undefined;
    }
    return (this.shortJson = `[${texts.slice(0, items.length).join(',')}]`);
  }

  /** The items as pieces of JSON text. Each is serialized when it is read, in its own turn of the event loop. */
  toPieces(): AsyncGenerator<string, void, void> {
    return writePieces([...this.items]);
  }
}

/** Serializes a list and removes its items, because Nest keeps the stream until the connection ends. */
async function* writePieces(items: unknown[]): AsyncGenerator<string, void, void> {
  let piece = '[';
  while (items.length > 0) {
    piece += stringifyJson(items.shift()) + (items.length > 0 ? ',' : ']');
    if (piece.length < MIN_PIECE_CHARACTERS && items.length > 0) continue;
    yield piece;
    piece = '';
    await yieldToEventLoop();
  }
}
