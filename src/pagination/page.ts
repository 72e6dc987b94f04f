import type { Response } from 'express';

import { stringifyJson } from '../domain/json.js';
import { arrayOfJson } from '../domain/json-array.js';
import { rootUrl } from '../http/service-address.js';
import { MAX_PAGE_BYTES } from '../limits.js';

/** A page of a list in the order of ids, with the cursor of the next page. */
export class Page<Item> {
  constructor(
    readonly items: readonly Item[],
    /** The id after which the next page starts. Undefined on the last page. */
    readonly nextAfter: bigint | undefined,
  ) {}

  /**
   * Creates a page of up to `limit` items from a list that was read with a limit of one more. The page ends before its
   * JSON text exceeds 256 KiB, but contains at least one item.
   */
  static from<Item extends { id: bigint }>(list: readonly Item[], limit: number): Page<Item> {
    const texts: string[] = [];
    let bytes = '['.length;
    for (const item of list.slice(0, limit)) {
      const text = stringifyJson(item);
      bytes += Buffer.byteLength(text) + ','.length;
      if (bytes > MAX_PAGE_BYTES && texts.length > 0) break;
      texts.push(text);
    }
    const items = list.slice(0, texts.length);
    const nextAfter = items.length < list.length ? items.at(-1)?.id : undefined;
    return new Page(
      arrayOfJson(`[${texts.join(',')}]`, () => items),
      nextAfter,
    );
  }
}

/**
 * Returns the items of a page, and adds the `Link` to the next page (RFC 8288) to the response. The link repeats the
 * parameters of the query that the operation has, with their defaults.
 */
export function sendPage<Item>(response: Response, query: object, page: Page<Item>): readonly Item[] {
  if (page.nextAfter !== undefined) {
    const { req: request } = response;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query) as [string, { toString(): string } | undefined][]) {
      if (value !== undefined) parameters.set(name, value.toString());
    }
    parameters.set('after', page.nextAfter.toString());
    const next = `${rootUrl(request)}${request.baseUrl}${request.path}?${parameters.toString()}`;
    response.append('Link', `<${next}>; rel="next"`);
  }
  return page.items;
}
