import type { CanActivate, ExecutionContext, Provider, Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';

import { DomainError } from '../domain/domain-error.js';
import { STATUSES, type Statuses, toErrorResponse } from './errors/error-mapper.js';

/** A guard whose result is not an Observable. */
interface RequestGuard {
  canActivate(context: ExecutionContext): boolean | Promise<boolean>;
}

/**
 * Returns the providers that run a guard on every request, and map its domain errors, so that a team's exception filters
 * see HttpExceptions. Nest also runs global guards on the messages of WebSocket gateways, which authenticate their
 * connections themselves.
 */
export function requestGuard(guard: Type<RequestGuard>): Provider[] {
  return [
    guard,
    {
      provide: APP_GUARD,
      inject: [guard, STATUSES],
      useFactory: (instance: RequestGuard, statuses: Statuses): CanActivate => ({
        canActivate: async (context) => {
          if (context.getType() === 'ws') return true;
          try {
            return await instance.canActivate(context);
          } catch (error) {
            throw error instanceof DomainError ? toErrorResponse(error, statuses) : error;
          }
        },
      }),
    },
  ];
}
