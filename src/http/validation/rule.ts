import { applyDecorators } from '@nestjs/common';
import { ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

/** Describes the problem with a value: "must be a string, not 5". Returns undefined if the value is valid. */
export type Check = (value: unknown) => string | undefined;

/** A validation rule. Its message is the problem: "name must be a string, not 5." An optional field may be absent. */
export function rule(name: string, check: Check, required: boolean): PropertyDecorator {
  const decorator = ValidateBy({
    name,
    validator: {
      validate: (value) => check(value) === undefined,
      defaultMessage: ({ property, value }: ValidationArguments) =>
        value === undefined ? `${property} is required.` : `${property} ${check(value)}.`,
    },
  });
  return required
    ? decorator
    : applyDecorators(
        decorator,
        ValidateIf((_object, value) => value !== undefined),
      );
}

/** Returns a check with one requirement. */
export function must(requirement: string, isValid: (value: unknown) => boolean): Check {
  return (value) => (isValid(value) ? undefined : `must ${requirement}, not ${describeValue(value)}`);
}

/** The maximum length of a text in a message. */
const SHOWN_LENGTH = 40;

/** Formats a value for a message: lists and objects by their types, long texts truncated. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value);
  }
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Returns whether a value is an object, and not a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
