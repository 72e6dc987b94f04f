import { type ArgumentMetadata, Inject, Injectable, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage, type ValidationError, type ValidatorOptions } from 'class-validator';

import { InvalidRequest } from '../../domain/domain-error.js';
import { asSentence } from '../errors/error-mapper.js';
import { type Dtos, DTOS } from './dtos.js';

const MAX_MESSAGES = 50;

/**
 * Converts the body, the query and the path parameters to valid instances of their DTO classes, with Nest's validation
 * pipe. Removes fields without a decorator, unless the class has no rules at all. Reports the first error of each
 * field, for at most 50 fields.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  /** @param dtos the classes that replace DTO classes of the service */
  constructor(@Inject(DTOS) private readonly dtos: Dtos = new Map()) {
    super({ transform: true, whitelist: true, stopAtFirstError: true });
    this.exceptionFactory = (errors: ValidationError[]) => {
      const messages = this.flattenValidationErrors(errors).slice(0, MAX_MESSAGES);
      return new InvalidRequest(messages.map(asSentence).join(' '));
    };
  }

  /** @throws InvalidRequest */
  override transform(value: unknown, { metatype, ...rest }: ArgumentMetadata): Promise<unknown> {
    const metadata = { ...rest, metatype: (metatype && this.dtos.get(metatype)) ?? metatype };
    const isWholeBody = metadata.type === 'body' && metadata.data === undefined;
    if (isWholeBody && this.toValidate(metadata)) assertJsonObject(value);
    return super.transform(value, metadata);
  }

  /** Converts a single query or path parameter only without loss, so that `ParseIntPipe` and others can reject it. */
  protected override transformPrimitive(value: unknown, metadata: ArgumentMetadata): unknown {
    const converted = super.transformPrimitive(value, metadata);
    if (converted === value) return value;
    return String(converted) === String(value) ? converted : value;
  }

  /** Keeps all fields of a class without rules. The option `whitelist` would remove them. */
  protected override validate(
    object: object,
    options?: ValidatorOptions,
  ): Promise<ValidationError[]> | ValidationError[] {
    const rules = getMetadataStorage().getTargetValidationMetadatas(object.constructor, '', false, false);
    return super.validate(object, { ...options, whitelist: rules.length > 0 });
  }
}

/** @throws InvalidRequest when there is no JSON body, or it is not an object */
function assertJsonObject(value: unknown): void {
  if (value === undefined) {
    throw new InvalidRequest(
      'The body is missing or not application/json. Send a JSON object in UTF-8 with the Content-Type application/json.',
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
    throw new InvalidRequest(`The body must be a JSON object, not ${type}.`);
  }
}
