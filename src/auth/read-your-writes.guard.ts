import { finished } from 'node:stream';

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';

import { Replicas } from '../database/replicas.js';
import type { AuthenticatedRequest } from './caller.decorator.js';

/**
 * Records the writes of each account, so that later reads of the account see them on a replica (read-your-writes). It
 * accepts every request. It is a guard because guards run before the body is read.
 */
@Injectable()
export class ReadYourWritesGuard implements CanActivate {
  constructor(private readonly replicas: Replicas) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { method, caller } = http.getRequest<Partial<AuthenticatedRequest>>();
    if (!caller || method === 'GET' || method === 'HEAD') return true;
    const { id } = caller.account;
    this.replicas.beginWrite(id);
    finished(http.getResponse<Response>(), () => this.replicas.endWrite(id));
    return true;
  }
}
