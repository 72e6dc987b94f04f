import { MethodNotAllowedException } from '@nestjs/common';
import type { Request, Response, Router } from 'express';

import { PathNotFound } from './errors/http-errors.js';
import { NOT_CACHED } from './response-headers.js';

/**
 * Answers requests with an unsupported method: 204 to OPTIONS, else 405. Both have the header `Allow` (RFC 9110, section
 * 15.5.6). A request with a supported method, for example for an unknown version or another host, gets 404.
 */
export function refuseOtherMethods(router: Router, path: string, allowed: readonly string[]): void {
  router.all(path, (request, response, next) => {
    if (allowed.includes(request.method)) {
      next('router');
      return;
    }
    response.setHeader('Allow', allowed.join(', '));
    if (request.method !== 'OPTIONS') {
      throw new MethodNotAllowedException(`This path supports ${allowed.join(', ')}.`);
    }
    sendNoContent(response);
  });
}

/** Answers a request that matches no route: 404, or 204 to OPTIONS for the server as a whole (RFC 9110, section 9.3.7). */
export function refuseUnknownPath(request: Request, response: Response): void {
  if (request.url !== '*' || request.method !== 'OPTIONS') throw new PathNotFound();
  sendNoContent(response);
}

function sendNoContent(response: Response): void {
  response.writeHead(204, NOT_CACHED).end();
}
