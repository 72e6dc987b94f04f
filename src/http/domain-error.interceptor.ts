import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, type Observable, of } from 'rxjs';

import { ErrorMapper } from './error-mapper.js';

/**
 * Answers with an Error body when a handler fails. A controller on the hot path goes without it:
 * Nest's chain of interceptors costs as much as the rest of a read, and {@link ErrorFilter} gives the
 * same answer.
 */
@Injectable()
export class DomainErrorInterceptor implements NestInterceptor {
  constructor(private readonly errors: ErrorMapper) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    return next
      .handle()
      .pipe(
        catchError((thrown: unknown) =>
          of(this.errors.answer(thrown, http.getRequest<Request>(), http.getResponse<Response>())),
        ),
      );
  }
}
