import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';

import { NotFound } from '../../domain/errors.js';
import { isInt64 } from './field.decorators.js';

/**
 * Injects an id of the path, an int64, as a bigint, and documents the parameter. Nothing has an id that is not an int64,
 * so it is a 404.
 *
 * @param kind what has the id, such as `animal`
 * @param example the value that Swagger UI fills in
 */
export function Int64Param(name: string, kind: string, example = 1): ParameterDecorator {
  const schema = { type: 'integer', format: 'int64', example } as const;
  const options = { name, description: `The id of the ${kind}.`, schema };
  const document: ParameterDecorator = (target, key = '') => {
    const method = Object.getOwnPropertyDescriptor(target, key);
    if (method) ApiParam(options)(target, key, method);
  };
  const inject = (_data: unknown, context: ExecutionContext): bigint => {
    const text = String(context.switchToHttp().getRequest<Request>().params[name]);
    const value = INT64.test(text) ? BigInt(text) : undefined;
    if (!isInt64(value)) throw new NotFound(kind, text);
    return value;
  };
  return createParamDecorator(inject, [document])();
}

const INT64 = /^(?:0|-?[1-9]\d{0,18})$/;
