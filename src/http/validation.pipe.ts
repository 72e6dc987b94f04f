import { type ArgumentMetadata, Injectable, type PipeTransform, Query, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { LRUCache } from 'lru-cache';

import { InvalidRequest } from '../domain/domain-error.js';

/** Hands the query to a parameter of a handler, as a valid instance of the parameter's class. */
export const ValidQuery = () => Query(ValidationPipe);

/** Makes queries into instances of their DTO class, by the rules of its decorators. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  // The same text is valid or not whenever it comes, and a DTO is not changed.
  private readonly valid = new LRUCache<string, object>({ max: 1000 });

  /** @throws InvalidRequest telling every field that is wrong, and why */
  transform(value: object, { metatype }: ArgumentMetadata): object {
    if (!metatype) throw new TypeError('ValidQuery is for parameters of a class');
    const text = `${metatype.name} ${JSON.stringify(value)}`;
    let query = this.valid.get(text);
    if (!query) {
      const dto = metatype as Type<object>;
      this.valid.set(text, (query = toValid(dto, plainToInstance(dto, knownFields(dto, value)))));
    }
    return query;
  }
}

/**
 * Makes a plain object into a valid instance of a DTO class. Fields that the class does not know are
 * left out, whatever they hold.
 *
 * @throws InvalidRequest telling every field that is wrong, and why
 */
export function toValid<Dto extends object>(dto: Type<Dto>, plain: object): Dto {
  const instance = Object.assign(new dto(), knownFields(dto, plain));
  const errors = validateSync(instance, { stopAtFirstError: true, forbidUnknownValues: true });
  if (errors.length === 0) return instance;
  throw new InvalidRequest(errors.flatMap((error) => Object.values(error.constraints ?? {})).join(' '));
}

function knownFields(dto: Type, plain: object): object {
  const names = fieldsOf(dto);
  return Object.fromEntries(Object.entries(plain).filter(([name]) => names.has(name)));
}

const fieldNames = new WeakMap<object, ReadonlySet<string>>();

function fieldsOf(dto: Type): ReadonlySet<string> {
  let names = fieldNames.get(dto);
  if (!names) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    fieldNames.set(dto, (names = new Set(rules.map((rule) => rule.propertyName))));
  }
  return names;
}
