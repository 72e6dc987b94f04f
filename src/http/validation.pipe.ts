import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';

import { InvalidRequest } from '../domain/domain-error.js';

/**
 * Makes bodies and queries into instances of their DTO class, by the rules of its decorators.
 * Fields that the class does not know are left out, whatever they hold.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  /** @throws InvalidRequest telling every field that is wrong, and why */
  transform(value: object, { type, metatype }: ArgumentMetadata): unknown {
    return metatype && (type === 'body' || type === 'query')
      ? toValid(metatype as Type<object>, value)
      : value;
  }
}

/**
 * Makes a plain object into a valid instance of a DTO class.
 *
 * @throws InvalidRequest telling every field that is wrong, and why
 */
export function toValid<Dto extends object>(dto: Type<Dto>, plain: object): Dto {
  const known = Object.entries(plain).filter(([name]) => fieldsOf(dto).has(name));
  const instance = plainToInstance(dto, Object.fromEntries(known), { exposeDefaultValues: true });
  const errors = validateSync(instance, { stopAtFirstError: true, forbidUnknownValues: true });
  if (errors.length === 0) return instance;
  throw new InvalidRequest(errors.flatMap((error) => Object.values(error.constraints ?? {})).join(' '));
}

const fields = new WeakMap<object, ReadonlySet<string>>();

function fieldsOf(dto: Type): ReadonlySet<string> {
  let names = fields.get(dto);
  if (!names) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    names = new Set(rules.map((rule) => rule.propertyName));
    fields.set(dto, names);
  }
  return names;
}
