import { finished } from 'node:stream';

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';

import { Replicas } from '../database/replicas.js';
import { findRequest } from './find-request.js';

/**
 * Records the writes of each account, so that later reads of the account see them on a replica (read-your-writes). It
 * accepts every request. It is a guard because guards run before the body is read.
 */
@Injectable()
export class ReadYourWritesGuard implements CanActivate {
  private readonly writing = new WeakSet<object>();

  constructor(private readonly replicas: Replicas) {}

  canActivate(context: ExecutionContext): boolean {
    const { method, caller, res: response } = findRequest(context) ?? {};
    if (!caller || !response || method === 'GET' || method === 'HEAD') return true;
    // A request of GraphQL has a call for each of its fields.
    if (this.writing.has(response)) return true;
    this.writing.add(response);
    const { id } = caller.account;
    this.replicas.beginWrite(id);
    finished(response, () => this.replicas.endWrite(id));
    return true;
  }
}
