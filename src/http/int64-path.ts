import { Param, type PipeTransform } from '@nestjs/common';

import type { DomainError } from '../domain/domain-error.js';
import { INT64_MAX, INT64_MIN } from './field.decorators.js';

/**
 * Hands an int64 of the path to a parameter of a handler.
 *
 * @param NotFound what is thrown when the text is no int64: it names nothing, so the answer is 404
 */
export function Int64Path(name: string, NotFound: new (id: string) => DomainError): ParameterDecorator {
  return Param(name, new Int64PathPipe(NotFound));
}

class Int64PathPipe implements PipeTransform<string, bigint> {
  constructor(private readonly NotFound: new (id: string) => DomainError) {}

  transform(text: string): bigint {
    const value = /^(0|-?[1-9]\d{0,18})$/.test(text) ? BigInt(text) : undefined;
    if (value === undefined || value < INT64_MIN || value > INT64_MAX) throw new this.NotFound(text);
    return value;
  }
}
