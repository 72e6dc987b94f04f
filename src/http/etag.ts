import { hash } from 'node:crypto';

import type { Response } from 'express';

/** An entity tag of a content (RFC 9110, section 8.8.3). It is a weak one, as the content can be compressed. */
export function etagOf(content: string | Buffer): string {
  return `W/"${hash('sha256', content, 'base64url')}"`;
}

/** Sends a text with an ETag, and 304 without it to a client that has it already. */
export function sendWithETag(response: Response, text: string): void {
  response.set({ ETag: etagOf(text), 'Cache-Control': 'no-cache' }).send(text);
}
