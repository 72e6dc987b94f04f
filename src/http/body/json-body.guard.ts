import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { parse as parseContentType } from 'content-type';
import type { Request } from 'express';

import { CONFIG, type Config } from '../../config/config.js';
import { InvalidRequest } from '../../domain/domain-error.js';
import { JsonTooComplex, parseJson } from '../../domain/json.js';
import { yieldToEventLoop } from '../../domain/yield-to-event-loop.js';
import { readBody } from './read-body.js';

/** A longer body is parsed in its own turn of the event loop. */
const LONG_BODY_BYTES = 16 * 1024;

/**
 * Reads a JSON body into `request.body`. It is a guard so that it runs after authentication: the body of a request
 * without a valid key is never read. Later guards, interceptors and pipes find the body as usual. Bodies of other
 * content types are not read, so that interceptors such as `FileInterceptor` can read them.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws InvalidRequest, PayloadTooLarge, TooManyPieces */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { 'content-type': contentType, 'content-encoding': encoding = 'identity' } = request.headers;
    if (!hasUnreadBody(request) || contentType === undefined || !isJson(contentType)) return true;
    if (encoding !== 'identity') {
      throw new InvalidRequest('The body must be sent without a Content-Encoding.');
    }
    return this.read(request);
  }

  private async read(request: Request): Promise<true> {
    const body = await readBody(request, this.config.bodyLimitBytes);
    if (body.length > LONG_BODY_BYTES) await yieldToEventLoop();
    request.body = parseJsonBody(body);
    return true;
  }
}

/** Returns whether there is a body to read. A team's middleware may have read it already. */
function hasUnreadBody({ headers, body }: Request): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return body === undefined && (length !== '0' || coding !== undefined);
}

function isJson(contentType: string): boolean {
  const { type, parameters } = parseContentType(contentType);
  return type === 'application/json' && (parameters['charset'] ?? 'utf-8').toLowerCase() === 'utf-8';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws InvalidRequest */
export function parseJsonBody(body: Buffer): unknown {
  try {
    return parseJson(utf8.decode(body));
  } catch (error) {
    if (error instanceof JsonTooComplex)
      throw new InvalidRequest(`The body contains ${error.message}.`, error);
    throw new InvalidRequest('The body is not valid JSON in UTF-8.', error);
  }
}
