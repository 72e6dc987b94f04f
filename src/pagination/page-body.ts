import { finished, Readable } from 'node:stream';

import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';

import { Unavailable } from '../domain/domain-error.js';
import type { Page } from './page.js';

/** The maximum number of long pages in progress. Each takes up to 8 MB until its client has read it. */
const MAX_LONG_PAGES = 16;

let longPages = 0;

/**
 * Returns the body of a response with a page: the items as JSON text. Concurrent requests share the text of a short page.
 * A long page is a stream, written at the speed of its client.
 *
 * @throws Unavailable when too many long pages are in progress
 */
export function toPageBody(response: Response, page: Page<object>): string | StreamableFile {
  response.type('json');
  return page.toShortJson() ?? startLongPage(response, page);
}

function startLongPage(response: Response, page: Page<object>): StreamableFile {
  if (longPages >= MAX_LONG_PAGES) throw new Unavailable(new Error('too many long pages are being sent'));
  longPages++;
  finished(response, () => longPages--);
  return new StreamableFile(Readable.from(page.toPieces()));
}
