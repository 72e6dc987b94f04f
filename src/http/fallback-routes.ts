import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import express from 'express';

import { MethodNotAllowed, PathNotFound } from './errors/http-errors.js';
import { hasHttpAdapter } from './has-http-adapter.js';

/**
 * The Express routes after those of the controllers: pages, documents, and the responses to requests that match no
 * route. It is a provider of the root module, so Nest calls its `onModuleInit` last: after it has registered the
 * controllers, and after other modules have added their routes.
 */
@Injectable()
export class FallbackRoutes implements OnModuleInit {
  readonly router = express.Router({ caseSensitive: true, strict: true });

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  onModuleInit(): void {
    if (!hasHttpAdapter(this.adapterHost)) return;
    this.adapterHost.httpAdapter.use(this.router, () => {
      throw new PathNotFound();
    });
  }

  /**
   * Answers requests with an unsupported method: 204 to OPTIONS, else 405. Both have the header `Allow`. A request with
   * a supported method, for example for an unknown version or another host, gets 404.
   */
  refuseOtherMethods(path: string, allowed: readonly string[]): void {
    this.router.all(path, (request, response, next) => {
      if (allowed.includes(request.method)) {
        next('router');
        return;
      }
      response.setHeader('Allow', allowed.join(', '));
      if (request.method !== 'OPTIONS') throw new MethodNotAllowed(allowed);
      response.writeHead(204).end();
    });
  }
}
