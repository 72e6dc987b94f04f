import { AsyncLocalStorage } from 'node:async_hooks';

import { type ExecutionContext, ValidationPipe } from '@nestjs/common';
import type { Request } from 'express';

import { hasUnreadBody } from '../body.guard.js';

/** What Nest's pipes do not get, for the global pipe. */
interface HandlerContext {
  readonly request: Request;
  /** Whether the handler or its controller has a `ValidationPipe` of its own. */
  readonly validates: boolean;
}

const contexts = new AsyncLocalStorage<HandlerContext>();

/** Runs a handler, with a context for its pipes if they need it. */
export function runHandler<Result>(execution: ExecutionContext, run: () => Result): Result {
  const request = execution.switchToHttp().getRequest<Request>();
  const validates = hasOwnValidation(execution.getHandler()) || hasOwnValidation(execution.getClass());
  return validates || hasUnreadBody(request) ? contexts.run({ request, validates }, run) : run();
}

/** Returns the context of the running handler. Undefined if no pipe needs one. */
export const findHandlerContext = () => contexts.getStore();

const known = new WeakMap<object, boolean>();

/** Returns whether a decorator such as `@UsePipes()` has given a handler or a controller a `ValidationPipe`. */
function hasOwnValidation(target: object): boolean {
  const found =
    known.get(target) ??
    Reflect.getMetadataKeys(target)
      .flatMap((key) => Reflect.getMetadata(key, target) as unknown)
      .some((value) => value === ValidationPipe || value instanceof ValidationPipe);
  known.set(target, found);
  return found;
}
