import helmet from 'helmet';
import type { RequestHandler } from 'express';

/**
 * Sets the headers that protect a visitor of the pages. A page may load scripts, styles and images from this service
 * alone, and runs no inline script.
 *
 * @param connectOrigins further origins that a page may send requests to
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
  });
}
