import { Readable } from 'node:stream';

import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';

import type { Page } from '../domain/page.js';

/**
 * Adds the link to the next page (RFC 8288) to an answer and returns its body: the items as JSON text. Requests for the
 * same page share the text of a short one. A long one is a stream, which the client reads piece by piece.
 */
export function sendPage(response: Response, page: Page<object>): string | StreamableFile {
  response.type('json');
  if (page.nextAfter !== undefined) {
    const [path = '', ...query] = response.req.originalUrl.split('?');
    const parameters = new URLSearchParams(query.join('?'));
    parameters.set('after', page.nextAfter.toString());
    response.setHeader('Link', `<${path}?${parameters.toString()}>; rel="next"`);
  }
  return page.toShortJson() ?? new StreamableFile(Readable.from(page.toPieces()));
}
