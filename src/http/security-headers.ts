import helmet from 'helmet';
import type { RequestHandler } from 'express';

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
