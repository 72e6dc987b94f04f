import type { ArgumentsHost } from '@nestjs/common';
import type { Request } from 'express';

/** A request, and its caller when the guard has found one. Public operations have none. */
export interface CallerRequest extends Request {
  readonly caller?: { readonly account: { readonly id: bigint }; readonly keyId: bigint | string };
}

/**
 * Returns the HTTP request behind a call of a handler, or of a resolver of GraphQL, whose third argument is a context with
 * the request as `req`. Other calls have none.
 */
export function findRequest(host: ArgumentsHost): CallerRequest | undefined {
  const type = host.getType<string>();
  if (type === 'http') return host.switchToHttp().getRequest<CallerRequest>();
  return type === 'graphql' ? host.getArgByIndex<{ req?: CallerRequest } | undefined>(2)?.req : undefined;
}
