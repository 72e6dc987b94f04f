import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';

import type { DomainError } from '../domain/domain-error.js';
import { INT64_BOUNDS, INT64_MAX, INT64_MIN } from './field.decorators.js';
import { requestOf } from './request-of.js';

/**
 * Hands an int64 of the path to a parameter of a handler.
 *
 * @param NotFound what is thrown when the text is no int64: it names nothing, so the answer is 404
 * @param description what the published document says about it
 * @param example what the explorer fills in; without one, a person has to
 */
export function Int64Param(
  name: string,
  NotFound: new (id: string) => DomainError,
  description: string,
  example?: number,
): ParameterDecorator {
  const schema = { type: 'integer', format: 'int64', ...INT64_BOUNDS } as const;
  const read = createParamDecorator((_data: unknown, context: ExecutionContext): bigint => {
    const text = String(requestOf(context).params[name]);
    const value = INT64.test(text) ? BigInt(text) : undefined;
    if (value === undefined || value < INT64_MIN || value > INT64_MAX) throw new NotFound(text);
    return value;
  });
  const options = { name, description, schema: { ...schema, ...(example !== undefined && { example }) } };
  return (target, key, index) => {
    read()(target, key, index);
    const method = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key !== undefined && method) ApiParam(options)(target, key, method);
  };
}

const INT64 = /^(0|-?[1-9]\d{0,18})$/;
