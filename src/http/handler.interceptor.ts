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

/** What Nest's pipes do not get: the request, and the parameters that other pipes validate. */
export const handlerContexts = new AsyncLocalStorage<{
  request: Request;
  validated: readonly Parameter[];
}>();

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
  const validated = validatedParameters(execution.getClass(), execution.getHandler());
  return validated.length > 0 || hasUnreadBody(request)
    ? handlerContexts.run({ request, validated }, run)
    : run();
}

/** The result of {@link validatedParameters} for each controller and its handlers. */
const known = new WeakMap<Type, Map<object, readonly Parameter[]>>();

/** Returns the parameters with a `ValidationPipe` of their own, such as `@Body(new ValidationPipe())`, or of `@UsePipes()`. */
function validatedParameters(controller: Type, handler: { name: string }): readonly Parameter[] {
  const ofController = known.get(controller) ?? new Map<object, readonly Parameter[]>();
  known.set(controller, ofController);
  const found = ofController.get(handler);
  if (found) return found;
  const areAll = [...metadataOf(handler), ...metadataOf(controller)].some(hasValidation);
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler.name) as
    ArgumentMetadata['metatype'][] | undefined;
  const parameters = Reflect.getMetadataKeys(controller, handler.name)
    .flatMap(
      (key) =>
        Object.values(Object(Reflect.getMetadata(key, controller, handler.name)) as object) as unknown[],
    )
    .map((each) => Object(each) as { index: number; data?: string; pipes?: unknown })
    .filter(({ pipes }) => areAll || hasValidation(pipes))
    .map(({ index, data }) => ({ data, metatype: types?.[index] }));
  ofController.set(handler, parameters);
  return parameters;
}

/** Returns what decorators have declared of a handler or a controller. */
const metadataOf = (target: object) =>
  Reflect.getMetadataKeys(target).map((key) => Reflect.getMetadata(key, target) as unknown);

const hasValidation = (pipes: unknown) =>
  Array.isArray(pipes) && pipes.some((pipe) => pipe === ValidationPipe || pipe instanceof ValidationPipe);

/** Returns an event with its data as JSON text, because Nest would not serialize a bigint. */
function toJsonEvent(event: unknown): unknown {
  const { data, id, type, retry, comment } = (event ?? {}) as MessageEvent;
  return typeof data === 'object' ? { data: stringifyJson(data), id, type, retry, comment } : event;
}
