import { applyDecorators } from '@nestjs/common';
import { ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

/**
 * A validation rule. Its message contains the requirement and the value: "name is required.", "limit must be a whole
 * number from 1 to 100, in digits, not 0." An optional field may be absent.
 *
 * @param requirement what the value must be, or a function that describes the problem with a value
 */
export function rule(
  name: string,
  requirement: string | ((value: unknown) => string),
  validate: (value: unknown) => boolean,
  required: boolean,
): PropertyDecorator {
  const decorator = ValidateBy({
    name,
    validator: {
      validate,
      defaultMessage: ({ property, value }: ValidationArguments) => {
        if (value === undefined) return `${property} is required.`;
        const problem =
          typeof requirement === 'string'
            ? `${requirement}, not ${describeValue(value)}`
            : requirement(value);
        return `${property} ${problem}.`;
      },
    },
  });
  return required
    ? decorator
    : applyDecorators(
        decorator,
        ValidateIf((_object, value) => value !== undefined),
      );
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
