import type { Response } from 'express';

import { rootUrl } from '../http/root-url.js';
import type { Page } from './page.js';

/** Adds the `Link` to the next page (RFC 8288) to a response. Returns the page. */
export function linkNextPage<Item extends object>(response: Response, page: Page<Item>): Page<Item> {
  if (page.nextAfter !== undefined) {
    const { req: request } = response;
    const [, ...query] = request.originalUrl.split('?');
    const parameters = new URLSearchParams(query.join('?'));
    parameters.set('after', page.nextAfter.toString());
    const next = `${rootUrl(request)}${request.baseUrl}${request.path}?${parameters.toString()}`;
    response.append('Link', `<${next}>; rel="next"`);
  }
  return page;
}
