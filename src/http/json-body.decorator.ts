import { isAscii } from 'node:buffer';

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { Request } from 'express';

import { InvalidRequest } from '../domain/domain-error.js';
import { parseJson } from '../domain/json.js';
import { readBody } from './body.js';
import { forParameterOfClass } from './parameter-class.js';
import { requestOf } from './request-of.js';
import { toValid } from './validation.js';

/** The setting of Express that holds how many bytes of a body are read, at most. */
export const BODY_LIMIT = 'body limit';

/**
 * Hands the JSON object that a request carries to a parameter of a handler, as a valid instance of
 * the parameter's class, and documents it. Parameters are made after the guards have run, so the
 * body of a request without a valid key is never read.
 */
export function JsonBody(): ParameterDecorator {
  return forParameterOfClass('JsonBody', ({ dto, target, method, descriptor, index }) => {
    ApiBody({ type: dto })(target, method, descriptor);
    createParamDecorator((_data: unknown, context: ExecutionContext) => {
      const bytes = readJson(requestOf(context));
      const toDto = (json: Buffer) => toValid(dto, parseObject(json));
      return bytes instanceof Promise ? bytes.then(toDto) : toDto(bytes);
    })()(target, method, index);
  });
}

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?;?\s*$/i;

function readJson(request: Request): Buffer | Promise<Buffer> {
  // Most say just this, and a pattern takes longer.
  const mediaType = request.headers['content-type'] ?? '';
  if (mediaType !== 'application/json' && !JSON_MEDIA_TYPE.test(mediaType)) {
    throw new InvalidRequest('The Content-Type must be application/json, in UTF-8.');
  }
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new InvalidRequest('The body must be sent without a Content-Encoding.');
  }
  return readBody(request, request.app.get(BODY_LIMIT) as number);
}

function parseObject(json: Buffer): object {
  const value = parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequest('The body must be a JSON object.');
  }
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer): unknown {
  try {
    // ASCII is the same in Latin-1, which is copied where UTF-8 is decoded.
    return parseJson(isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes));
  } catch (error) {
    throw new InvalidRequest('The body is not JSON in UTF-8.', error);
  }
}
