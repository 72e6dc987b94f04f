import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from 'petstore';

/** Accepts only signatures of the caller's account. */
@Injectable()
export class OwnSignatureGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { signedBy } = request.body as { signedBy: number };
    return BigInt(signedBy) === request.caller.account.id;
  }
}
