import { hash } from 'node:crypto';

import type { Response } from 'express';

/** Returns the entity tag of a content (RFC 9110, section 8.8.3). It is weak because responses can be compressed. */
export function etagOf(content: string | Buffer): string {
  return `W/"${hash('sha256', content, 'base64url')}"`;
}

/** Sends a text with an ETag, or 304 if the client has it cached. */
export function sendWithETag(response: Response, text: string): void {
  response.set({ ETag: etagOf(text), 'Cache-Control': 'no-cache' }).send(text);
}
