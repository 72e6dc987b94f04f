import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';

import { InvalidRequest } from '../domain/domain-error.js';

/**
 * Nest's validation pipe: turns the body, the query and the path parameters into valid instances of their DTO classes.
 * It drops fields without a decorator and reports the first error of every field.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({ transform: true, whitelist: true, stopAtFirstError: true });
    this.exceptionFactory = (errors: ValidationError[]) =>
      new InvalidRequest(this.flattenValidationErrors(errors).map(asSentence).join(' '));
  }

  /** @throws InvalidRequest */
  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const isWholeBody = metadata.type === 'body' && metadata.data === undefined;
    if (isWholeBody && this.toValidate(metadata)) assertJsonObject(value);
    return super.transform(value, metadata);
  }
}

/** @throws InvalidRequest when no JSON body was sent, or one that is not an object */
function assertJsonObject(value: unknown): void {
  if (value === undefined) {
    throw new InvalidRequest('Send a JSON object with the Content-Type application/json, in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRequest('The body must be a JSON object.');
  }
}

/** class-validator's own messages end without a full stop. */
function asSentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
