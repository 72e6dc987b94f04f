import type { RequestHandler } from 'express';
import helmet from 'helmet';

import type { Config } from '../config/config.js';

/** The headers of every response, in addition to `X-Request-Id`. */
export function headersOf({ publicUrl }: Config): Readonly<Record<string, string>> {
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(publicUrl?.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
}

/** The header `Cache-Control` of responses whose handler sets none. */
export const NOT_CACHED = { 'Cache-Control': 'private, no-store' };

/**
 * Sets the headers that protect visitors of the pages. A page loads scripts, styles and images only from this service,
 * and runs no inline scripts.
 *
 * @param connectOrigins further origins to which a page may send requests
 */
export function securityHeaders(connectOrigins: readonly string[]): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", ...connectOrigins],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    // A host with HTTPS sends it with every response, not only with pages.
    strictTransportSecurity: false,
  });
}
