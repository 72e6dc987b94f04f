import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { DomainError } from '../domain/errors.js';
import { toErrorResponse } from './errors/error-response.js';

/**
 * Runs the guards of every request in their order, and maps their domain errors, so that the exception filters of a team
 * see HttpExceptions. Nest also runs global guards on the messages of WebSocket gateways, which authenticate their
 * connections themselves.
 */
export class RequestGuards implements CanActivate {
  constructor(private readonly guards: readonly CanActivate[]) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() === 'ws') return true;
    try {
      for (const guard of this.guards) {
        const isAccepted = guard.canActivate(context);
        if (isAccepted !== true && !(await isAccepted)) return false;
      }
      return true;
    } catch (error) {
      throw error instanceof DomainError ? toErrorResponse(error) : error;
    }
  }
}
