import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError, type Observable, throwError } from 'rxjs';

import { DomainError } from '../../domain/errors.js';
import { toErrorResponse } from './error-response.js';

/**
 * Maps the domain errors that handlers and pipes throw to Error bodies. Other exceptions pass unchanged, so that the
 * exception filters of a team see them; the {@link ErrorFilter} maps what remains.
 */
@Injectable()
export class ErrorInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    return next
      .handle()
      .pipe(
        catchError((thrown: unknown) =>
          throwError(() => (thrown instanceof DomainError ? toErrorResponse(thrown) : thrown)),
        ),
      );
  }
}
