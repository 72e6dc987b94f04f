import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import express, { type RequestHandler } from 'express';

import { MethodNotAllowed, PathNotFound } from './http-errors.js';

/**
 * The Express routes behind those of the controllers: pages, documents, and the answers to requests that match no
 * route. Nest calls `onModuleInit` after it has registered the controllers.
 */
@Injectable()
export class FallbackRoutes implements OnModuleInit {
  readonly router = express.Router({ caseSensitive: true, strict: true });

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  onModuleInit(): void {
    // A command runs without an HTTP adapter.
    const { httpAdapter } = this.adapterHost as Partial<HttpAdapterHost>;
    httpAdapter?.use(this.router, () => {
      throw new PathNotFound();
    });
  }

  /** Serves GET requests for a path. */
  get(path: string, ...handlers: RequestHandler[]): void {
    this.router.get(path, ...handlers);
    this.refuseOtherMethods(path, ['GET', 'HEAD']);
  }

  /** Answers requests for a path with a method that no route takes: 204 to OPTIONS, else 405, with `Allow`. */
  refuseOtherMethods(path: string, allowed: readonly string[]): void {
    this.router.all(path, (request, response) => {
      if (request.method !== 'OPTIONS') throw new MethodNotAllowed(allowed);
      response.setHeader('Allow', allowed.join(', '));
      response.writeHead(204).end();
    });
  }
}
