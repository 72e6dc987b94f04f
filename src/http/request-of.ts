import type { ArgumentsHost } from '@nestjs/common';
import type { Request } from 'express';

/** The request that a guard or a decorator is asked about. Nest's `switchToHttp` makes three functions to tell it. */
export function requestOf(host: ArgumentsHost): Request {
  return host.getArgByIndex<Request>(0);
}
