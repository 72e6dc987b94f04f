import { stringifyJson } from './json.js';
import { ownTurn } from './own-turn.js';

/** How many characters of JSON are written in one turn of the event loop, which takes a few milliseconds. */
const MAX_TURN_CHARACTERS = 1024 ** 2;

/** The number of items on a page if the client states none. */
export const DEFAULT_PAGE_SIZE = 20;

/** A page of a list in the order of ids, and where the next one starts. */
export class Page<Item> {
  private json: Promise<string> | undefined;

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
  toJson(): Promise<string> {
    return (this.json ??= this.write());
  }

  private async write(): Promise<string> {
    const pieces: string[] = [];
    let characters = 0;
    for (const item of this.items) {
      const piece = stringifyJson(item);
      pieces.push(piece);
      characters += piece.length;
      if (characters < MAX_TURN_CHARACTERS) continue;
      characters = 0;
      await ownTurn();
    }
    return `[${pieces.join(',')}]`;
  }
}
