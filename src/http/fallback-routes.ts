import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import express, { type Request, type Response } from 'express';

import { MethodNotAllowed, PathNotFound } from './errors/http-errors.js';

/**
 * The Express routes after those of the controllers: pages, documents, and the responses to requests that match no
 * route. It is a provider of the root module, so Nest calls its `onModuleInit` last: after it has registered the
 * controllers, and after other modules have added their routes.
 */
@Injectable()
export class FallbackRoutes implements OnModuleInit {
  readonly router = express.Router({ caseSensitive: true, strict: true });

  private addRoutes: () => void = () => undefined;

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** Adds routes when the application is initialised, and all routes of controllers are known. */
  prepare(addRoutes: () => void): void {
    this.addRoutes = addRoutes;
  }

  onModuleInit(): void {
    this.addRoutes();
    this.adapterHost.httpAdapter.use(this.router, (request: Request, response: Response) => {
      // The target of OPTIONS for the server as a whole (RFC 9110, section 9.3.7).
      if (request.url !== '*' || request.method !== 'OPTIONS') throw new PathNotFound();
      response.writeHead(204).end();
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
      const forPages = 'Access-Control-Allow-Methods';
      if (response.hasHeader(forPages)) response.setHeader(forPages, allowed.join(','));
      response.writeHead(204).end();
    });
  }
}
