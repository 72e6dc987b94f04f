import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type AuthenticatedRequest, Forbidden } from 'petstore';

import { shelterConfig, type ShelterConfig } from '../shelter.config.js';

/** Refuses blocked callers, after the service has found out who calls. */
@Injectable()
export class BlockListGuard implements CanActivate {
  private readonly blocked: ReadonlySet<string>;

  constructor(@Inject(shelterConfig.KEY) { BLOCKED_SUBJECTS }: ShelterConfig) {
    this.blocked = new Set(BLOCKED_SUBJECTS.split(','));
  }

  /** @throws Forbidden */
  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<Partial<AuthenticatedRequest>>();
    if (caller && this.blocked.has(String(caller.keyId))) throw new Forbidden('This caller is blocked.');
    return true;
  }
}
