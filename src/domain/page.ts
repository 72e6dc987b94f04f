import { stringifyJson } from './json.js';
import { ownTurn } from './own-turn.js';

/** A page with more characters of JSON is long. It is written in pieces, so that it is never in memory as a whole. */
const MAX_SHORT_CHARACTERS = 256 * 1024;

/** A piece ends with the item that reaches this. */
const MIN_PIECE_CHARACTERS = 64 * 1024;

/** The number of items on a page if the client states none. */
export const DEFAULT_PAGE_SIZE = 20;

/** The JSON text of items. Pages that start at the same place have their items in common. */
const texts = new WeakMap<object, string>();

function toJson(item: object): string {
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = stringifyJson(item);
  texts.set(item, text);
  return text;
}

/** A page of a list in the order of ids, and where the next one starts. */
export class Page<Item extends object> {
  private shortJson: string | undefined;
  private isLong = false;

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

  /** The items as JSON text, written once for all requests that share the page; undefined for a long page. */
  toShortJson(): string | undefined {
    if (this.isLong || this.shortJson !== undefined) return this.shortJson;
    const pieces: string[] = [];
    let characters = 0;
    for (const item of this.items) {
      const piece = toJson(item);
      pieces.push(piece);
      characters += piece.length;
      this.isLong = characters > MAX_SHORT_CHARACTERS;
      if (this.isLong) return undefined;
    }
    return (this.shortJson = `[${pieces.join(',')}]`);
  }

  /** The items as pieces of JSON text. Each is written when it is requested, in its own turn of the event loop. */
  toPieces(): AsyncGenerator<string, void, void> {
    return writePieces([...this.items]);
  }
}

/** Writes a list that is not empty. Removes each item from it, since Nest keeps the stream as long as its connection. */
async function* writePieces(items: unknown[]): AsyncGenerator<string, void, void> {
  let piece = '[';
  while (items.length > 0) {
    piece += stringifyJson(items.shift()) + (items.length > 0 ? ',' : ']');
    if (piece.length < MIN_PIECE_CHARACTERS && items.length > 0) continue;
    yield piece;
    piece = '';
    await ownTurn();
  }
}
