import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { catchError, type Observable, throwError } from 'rxjs';

import { DomainError } from '../../domain/domain-error.js';
import { STATUSES, type Statuses, toErrorResponse } from './error-mapper.js';

/**
 * Maps the domain errors that handlers throw to Error bodies. Other exceptions pass unchanged, so that a team's own
 * exception filters see them; the {@link ErrorFilter} maps what remains.
 */
@Injectable()
export class DomainErrorInterceptor implements NestInterceptor {
  constructor(@Inject(STATUSES) private readonly statuses: Statuses) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    return next
      .handle()
      .pipe(
        catchError((thrown: unknown) =>
          throwError(() => (thrown instanceof DomainError ? toErrorResponse(thrown, this.statuses) : thrown)),
        ),
      );
  }
}
