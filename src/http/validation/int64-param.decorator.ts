import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';

import type { DomainError } from '../../domain/errors.js';
import { isInt64 } from '../../limits.js';

/**
 * Injects an int64 of the path as a bigint, and documents the parameter.
 *
 * @param NotFound the error for a text that is not an int64. Nothing has such an id, so it is a 404
 * @param description the description in the published document
 * @param example the value that Swagger UI fills in
 */
export function Int64Param(
  name: string,
  NotFound: new (id: string) => DomainError,
  description: string,
  example?: number,
): ParameterDecorator {
  const schema = { type: 'integer', format: 'int64' } as const;
  const options = { name, description, schema: { ...schema, ...(example !== undefined && { example }) } };
  const document: ParameterDecorator = (target, key = '') => {
    const method = Object.getOwnPropertyDescriptor(target, key);
    if (method) ApiParam(options)(target, key, method);
  };
  const inject = (_data: unknown, context: ExecutionContext): bigint => {
    const text = String(context.switchToHttp().getRequest<Request>().params[name]);
    const value = INT64.test(text) ? BigInt(text) : undefined;
    if (!isInt64(value)) throw new NotFound(text);
    return value;
  };
  return createParamDecorator(inject, [document])();
}

const INT64 = /^(?:0|-?[1-9]\d{0,18})$/;
