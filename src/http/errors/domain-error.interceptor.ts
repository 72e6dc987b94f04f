import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { catchError, map, type Observable, throwError } from 'rxjs';

import { DomainError } from '../../domain/domain-error.js';
import { Page } from '../../pagination/page.js';
import { toPageBody } from '../../pagination/page-body.js';
import { STATUSES, type Statuses, toErrorResponse } from './error-mapper.js';

/**
 * Maps the domain errors that handlers throw to Error bodies. Other exceptions pass unchanged, so that a team's own
 * exception filters see them; the {@link ErrorFilter} maps what remains.
 *
 * It also writes the pages that handlers return. Each further global interceptor takes about a tenth of the CPU time of a
 * request.
 */
@Injectable()
export class DomainErrorInterceptor implements NestInterceptor {
  constructor(@Inject(STATUSES) private readonly statuses: Statuses) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      // It is the outermost interceptor, so those of a team get the page itself.
      map((result: unknown) =>
        result instanceof Page ? toPageBody(response, result as Page<object>) : result,
      ),
      catchError((thrown: unknown) =>
        throwError(() => (thrown instanceof DomainError ? toErrorResponse(thrown, this.statuses) : thrown)),
      ),
    );
  }
}
