import { applyDecorators, type CanActivate, type Type, UseGuards } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';

import { Forbidden } from '../../domain/errors.js';
import { toErrorResponse } from '../../http/errors/error-response.js';
import { findRequest } from '../../http/find-request.js';
import { documentErrors } from '../../openapi/decorators/api-errors.decorator.js';
import { InheritOperation } from '../../openapi/decorators/inherit-operation.decorator.js';
import type { AuthenticatedRequest } from './caller.decorator.js';

/** The caller lacks the scope of the operation (RFC 6750, section 3.1). Only credentials of a team have scopes. */
class InsufficientScope extends Forbidden {
  constructor(scope: string) {
    const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
    super(`This operation requires the scope ${scope}.`, { headers });
  }
}

/** Returns a guard that rejects callers without a scope. It runs after the guards of every request. */
const scopeGuard = (scope: string): CanActivate => ({
  canActivate(context) {
    const { caller } = (findRequest(context) ?? {}) as Partial<AuthenticatedRequest>;
    if (!caller?.scopes?.includes(scope)) throw toErrorResponse(new InsufficientScope(scope));
    return true;
  },
});

/** Requires a scope of the caller for an operation, and documents it. Keys of the service have no scopes. */
export function RequireScope(scope: string): MethodDecorator {
  return applyDecorators(
    UseGuards(scopeGuard(scope)),
    ApiSecurity('bearer', [scope]),
    documentErrors([new InsufficientScope(scope)]),
  );
}

/** The scopes that operations require, by the names of their handlers: `{ createPet: 'pets:write' }`. */
export type Scopes = Readonly<Record<string, string>>;

/**
 * Returns a controller whose handlers require scopes: a subclass, because other applications of the process keep the
 * original.
 *
 * @throws Error when the controller has no such handler
 */
export function withScopes<T extends object>(controller: Type<T>, scopes: Scopes): Type<T> {
  if (Object.keys(scopes).length === 0) return controller;
  const Scoped = class extends (controller as Type<object>) {};
  Object.defineProperty(Scoped, 'name', { value: controller.name });
  const handlers = Scoped.prototype as Readonly<Record<string, unknown>>;
  for (const [name, scope] of Object.entries(scopes)) {
    const original = handlers[name];
    if (typeof original !== 'function') {
      throw new Error(`scopes names ${name}, but ${controller.name} has no operation of this name.`);
    }
    Object.assign(handlers, {
      [name](...args: unknown[]): unknown {
        return Reflect.apply(original, this, args);
      },
    });
    const descriptor = Object.getOwnPropertyDescriptor(handlers, name);
    applyDecorators(InheritOperation(), RequireScope(scope))(handlers, name, descriptor);
  }
  return Scoped as Type<T>;
}
