import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type MessageEvent,
  type NestInterceptor,
  SSE_ABORT_CONTROLLER,
} from '@nestjs/common';
import type { Request } from 'express';
import { catchError, finalize, map, type Observable, throwError } from 'rxjs';

import { Replicas } from '../../database/replicas.js';
import { DomainError } from '../../domain/errors.js';
import { stringifyJson } from '../../domain/json.js';
import { runHandler } from '../validation/validation.pipe.js';
import { toErrorResponse } from './error-response.js';

type AccountRequest = Request & { readonly caller?: { readonly account: { readonly id: bigint } } };

/**
 * Maps the domain errors that handlers and pipes throw to Error bodies. Other exceptions pass unchanged, so that the
 * exception filters of a team see them; the {@link ErrorFilter} maps what remains. Writes exact integers in events.
 * Records the writes of each account, so that later reads of the account see them on a replica (read-your-writes).
 */
@Injectable()
export class ErrorInterceptor implements NestInterceptor {
  constructor(private readonly replicas: Replicas) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<AccountRequest>();
    const results = runHandler(context, () => next.handle()).pipe(
      catchError((thrown: unknown) =>
        throwError(() => (thrown instanceof DomainError ? toErrorResponse(thrown) : thrown)),
      ),
    );
    // Nest gives an abort controller to the requests for streams of events.
    if (SSE_ABORT_CONTROLLER in request) return results.pipe(map(toJsonEvent));
    const { method, caller } = request;
    if (!caller || method === 'GET' || method === 'HEAD' || this.replicas.isEmpty) return results;
    return results.pipe(finalize(() => this.replicas.recordWrite(caller.account.id)));
  }
}

/** Returns an event with its data as JSON text, because Nest would not serialize a bigint. */
function toJsonEvent(event: unknown): unknown {
  const { data, id, type, retry, comment } = (event ?? {}) as MessageEvent;
  return typeof data === 'object' ? { data: stringifyJson(data), id, type, retry, comment } : event;
}
