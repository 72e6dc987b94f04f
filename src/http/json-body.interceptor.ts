import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import getRawBody from 'raw-body';
import type { Observable } from 'rxjs';

import { InvalidRequest } from '../domain/domain-error.js';
import { PayloadTooLarge } from './http-errors.js';
import { parseJson } from './json.js';

/** The largest body that is read. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * Reads a request's JSON object into `request.body`. It runs after the guards, so the body of a
 * request without a valid key is never read.
 */
@Injectable()
class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    request.body = await readJsonObject(request);
    return next.handle();
  }
}

/** Makes an operation take a JSON object as its body. */
export function JsonBody(): MethodDecorator {
  return applyDecorators(UseInterceptors(JsonBodyInterceptor));
}

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?;?\s*$/i;

async function readJsonObject(request: Request): Promise<object> {
  if (!JSON_MEDIA_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new InvalidRequest('The Content-Type must be application/json, in UTF-8.');
  }
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new InvalidRequest('The body must be sent without a Content-Encoding.');
  }
  const value = parse(await readBytes(request));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequest('The body must be a JSON object.');
  }
  return value;
}

async function readBytes(request: Request): Promise<Buffer> {
  try {
    const length = request.headers['content-length'] ?? null;
    return await getRawBody(request, { length, limit: BODY_LIMIT_BYTES });
  } catch (error) {
    const tooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large';
    throw tooLarge
      ? new PayloadTooLarge(BODY_LIMIT_BYTES)
      : new InvalidRequest('The body ended early.', error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(utf8.decode(bytes));
  } catch (error) {
    throw new InvalidRequest('The body is not JSON in UTF-8.', error);
  }
}
