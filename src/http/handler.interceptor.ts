import { AsyncLocalStorage } from 'node:async_hooks';

import {
  type ArgumentMetadata,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type MessageEvent,
  type NestInterceptor,
  SSE_ABORT_CONTROLLER,
  type Type,
  ValidationPipe,
} from '@nestjs/common';
import type { Request } from 'express';
import { catchError, map, type Observable, throwError } from 'rxjs';

import { DomainError } from '../domain/errors.js';
import { stringifyJson } from '../domain/json.js';
import { hasUnreadBody } from './body.guard.js';
import { toErrorResponse } from './errors/error-response.js';

/** A parameter of a handler: the name in its decorator, and its class. */
type Parameter = Pick<ArgumentMetadata, 'data' | 'metatype'>;

/** What Nest's pipes do not get: the request, and what a `ValidationPipe` of the handler or the controller validates. */
const contexts = new AsyncLocalStorage<{ request: Request; validated: 'all' | readonly Parameter[] }>();

export const findHandlerContext = () => contexts.getStore();

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

/** Runs a handler, with a context for the global pipe if it needs one. */
function runHandler<Result>(execution: ExecutionContext, run: () => Result): Result {
  const request = execution.switchToHttp().getRequest<Request>();
  const [handler, controller] = [execution.getHandler(), execution.getClass()];
  const validated =
    hasOwnValidation(handler) || hasOwnValidation(controller)
      ? 'all'
      : validatedParameters(controller, handler);
  return validated.length > 0 || hasUnreadBody(request) ? contexts.run({ request, validated }, run) : run();
}

const known = new WeakMap<object, boolean>();
const knownParameters = new WeakMap<object, readonly Parameter[]>();

/** Returns whether a decorator such as `@UsePipes()` has given a handler or a controller a `ValidationPipe`. */
function hasOwnValidation(target: object): boolean {
  const found =
    known.get(target) ??
    Reflect.getMetadataKeys(target)
      .flatMap((key) => Reflect.getMetadata(key, target) as unknown)
      .some(isValidation);
  known.set(target, found);
  return found;
}

const isValidation = (pipe: unknown) => pipe === ValidationPipe || pipe instanceof ValidationPipe;

/** Returns the parameters with a `ValidationPipe` in their decorator, such as `@Body(new ValidationPipe())`. */
function validatedParameters(controller: object, handler: { name: string }): readonly Parameter[] {
  const found = knownParameters.get(handler);
  if (found) return found;
  const types = Reflect.getMetadata(
    'design:paramtypes',
    (controller as Type).prototype as object,
    handler.name,
  ) as ArgumentMetadata['metatype'][] | undefined;
  const parameters = Reflect.getMetadataKeys(controller, handler.name)
    .flatMap(
      (key) =>
        Object.values((Reflect.getMetadata(key, controller, handler.name) ?? {}) as object) as unknown[],
    )
    .map((each) => Object(each) as { index: number; data?: string; pipes?: unknown[] })
    .filter(({ pipes }) => Array.isArray(pipes) && pipes.some(isValidation))
    .map(({ index, data }) => ({ data, metatype: types?.[index] }));
  knownParameters.set(handler, parameters);
  return parameters;
}

/** Returns an event with its data as JSON text, because Nest would not serialize a bigint. */
function toJsonEvent(event: unknown): unknown {
  const { data, id, type, retry, comment } = (event ?? {}) as MessageEvent;
  return typeof data === 'object' ? { data: stringifyJson(data), id, type, retry, comment } : event;
}
