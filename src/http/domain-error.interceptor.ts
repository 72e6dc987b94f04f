import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError, type Observable, throwError } from 'rxjs';

import { DomainError } from '../domain/domain-error.js';
import { toErrorResponse } from './error-mapper.js';

/**
 * Maps the domain errors that handlers throw to Error bodies. Other exceptions pass unchanged, so that a team's own
 * exception filters see them; the {@link ErrorFilter} maps what remains.
 */
@Injectable()
export class DomainErrorInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        catchError((thrown: unknown) =>
          throwError(() => (thrown instanceof DomainError ? toErrorResponse(thrown) : thrown)),
        ),
      );
  }
}
