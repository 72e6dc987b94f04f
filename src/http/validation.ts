import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

import { InvalidRequest } from '../domain/domain-error.js';
import { rulesOf } from './rules.js';

type Fields = Record<string, unknown>;

/**
 * Makes a plain object into a valid instance of a DTO class. Fields that the class does not know are
 * left out, whatever they hold.
 *
 * @throws InvalidRequest telling every field that is wrong, and why
 */
export function toValid<Dto extends object>(dto: Type<Dto>, plain: object): Dto {
  const { isSurelyValid } = rulesOf(dto);
  const instance = new dto();
  copyKnownFields(dto, plain as Fields, instance as Fields);
  if (isSurelyValid(instance)) return instance;
  const errors = validateSync(instance, { stopAtFirstError: true, forbidUnknownValues: true });
  if (errors.length === 0) return instance;
  throw new InvalidRequest(errors.flatMap((error) => Object.values(error.constraints ?? {})).join(' '));
}

/**
 * Makes the parameters of a query, which are all text, into a valid instance of a DTO class.
 *
 * @throws InvalidRequest telling every parameter that is wrong, and why
 */
export function toValidQuery<Dto extends object>(dto: Type<Dto>, query: object): Dto {
  const known = {};
  copyKnownFields(dto, query as Fields, known);
  return toValid(dto, plainToInstance(dto, known));
}

function copyKnownFields(dto: Type, from: Fields, to: Fields): void {
  for (const name of rulesOf(dto).fields) if (Object.hasOwn(from, name)) to[name] = from[name];
}
