import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type MessageEvent,
  type NestInterceptor,
  SSE_ABORT_CONTROLLER,
} from '@nestjs/common';
import { catchError, map, type Observable, throwError } from 'rxjs';

import { DomainError } from '../domain/errors.js';
import { stringifyJson } from '../domain/json.js';
import { toErrorResponse } from './errors/error-response.js';
import { runHandler } from './validation/handler-context.js';

/**
 * Surrounds every handler with its pipes: gives the validation its context, maps domain errors to Error bodies, and writes
 * exact integers in events. Other exceptions pass unchanged, so that the exception filters of a team see them; the
 * `ErrorFilter` maps what remains.
 */
@Injectable()
export class HandlerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    // Nest gives an abort controller to the requests for streams of events.
    const sendsEvents = SSE_ABORT_CONTROLLER in context.switchToHttp().getRequest<object>();
    const results = runHandler(context, () => next.handle()).pipe(
      catchError((thrown: unknown) =>
        throwError(() => (thrown instanceof DomainError ? toErrorResponse(thrown) : thrown)),
      ),
    );
    return sendsEvents ? results.pipe(map(toJsonEvent)) : results;
  }
}

/** Returns an event with its data as JSON text, because Nest would not serialize a bigint. */
function toJsonEvent(event: unknown): unknown {
  const { data, id, type, retry, comment } = (event ?? {}) as MessageEvent;
  return typeof data === 'object' ? { data: stringifyJson(data), id, type, retry, comment } : event;
}
