import { MethodNotAllowedException } from '@nestjs/common';
import type { Router } from 'express';

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
    response.writeHead(204, NOT_CACHED).end();
  });
}
