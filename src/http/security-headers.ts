import helmet from 'helmet';
import type { RequestHandler } from 'express';

/**
 * The headers by which a browser protects whoever opens a page of the service. A page may load scripts,
 * styles and images from this service alone, and runs nothing inline.
 *
 * @param callable origins beside its own that a page may send requests to
 */
export function securityHeaders(callable: readonly string[]): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", ...callable],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
  });
}
