import type { Response } from 'express';

import { rootUrl } from '../http/request-url.js';
import type { Page } from './page.js';
import type { PageQuery } from './page-query.dto.js';

/**
 * Returns the items of a page, and adds the `Link` to the next page (RFC 8288) to the response. The link repeats the
 * parameters of the query that the operation has.
 */
export function sendPage<Item>(response: Response, query: PageQuery, page: Page<Item>): readonly Item[] {
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
