import type { Response } from 'express';

import { ownTurn } from '../domain/own-turn.js';
import type { Page } from '../domain/page.js';

/** A longer body is encoded and sent in a turn of the event loop of its own. */
const LONG_BODY_CHARACTERS = 256 * 1024;

/**
 * Adds the link to the next page (RFC 8288) to an answer and returns its body: the items as JSON text, which requests
 * for the same page share.
 */
export async function sendPage(response: Response, page: Page<object>): Promise<string> {
  response.type('json');
  if (page.nextAfter !== undefined) {
    const [path = '', ...query] = response.req.originalUrl.split('?');
    const parameters = new URLSearchParams(query.join('?'));
    parameters.set('after', page.nextAfter.toString());
    response.setHeader('Link', `<${path}?${parameters.toString()}>; rel="next"`);
  }
  const json = await page.toJson();
  if (json.length > LONG_BODY_CHARACTERS) await ownTurn();
  return json;
}
