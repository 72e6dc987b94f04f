import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import compression from 'compression';
import express, { type Request, type RequestHandler, type Response } from 'express';

import { etagOf } from './etag.js';
import { MethodNotAllowed, PathNotFound } from './errors/http-errors.js';

/**
 * The Express routes after those of the controllers: pages, documents, and the responses to requests that match no
 * route. It is a provider of the root module, so Nest calls its `onModuleInit` last: after it has registered the
 * controllers, and after other modules have added their routes.
 */
@Injectable()
export class FallbackRoutes implements OnModuleInit {
  readonly router = express.Router({ caseSensitive: true, strict: true });

  private readonly compress = compression({
    // All files are text. A range counts the bytes of the file, so a response with a range is not compressed.
    filter: (_request, response) => response.statusCode !== 206,
  });

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
      if (request.url !== '*') throw new PathNotFound();
      response.writeHead(204).end();
    });
  }

  /** Serves GET requests for a path, compressed if the client accepts it. */
  get(path: string, ...handlers: RequestHandler[]): void {
    this.router.get(path, this.compress, ...handlers);
    this.refuseOtherMethods(path, ['GET', 'HEAD']);
  }

  /** Serves a file, with an ETag of its content. */
  getFile(path: string, root: string, file: string, { maxAge = 0 }: { maxAge?: number | string } = {}): void {
    const etag = etagOf(readFileSync(join(root, file)));
    this.get(path, (_request, response) => response.set('ETag', etag).sendFile(file, { root, maxAge }));
  }

  /** Redirects GET requests for a path to a relative URL, which works behind proxies that add a path prefix. */
  redirect(path: string, target: string): void {
    this.get(path, (_request, response) => response.redirect(target));
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
