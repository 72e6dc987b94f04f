import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

import { INT64_MAX, INT64_MIN, MAX_DISPLAY_NAME_LENGTH } from '../../limits.js';

/** The description of a field in the OpenAPI document, and whether the field is required. */
export interface FieldOptions {
  example: unknown;
  /** Default: true. An optional field may be absent but not null, unlike with class-validator's `IsOptional`. */
  required?: boolean;
  /** Default: the doc comment, if the build uses the plugin of @nestjs/swagger. */
  description?: string;
}

/** A field with a 64-bit integer: a number in JSON, a bigint in the DTO. */
export function Int64Field(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...options }),
    rule('int64', `be an integer from ${INT64_MIN} to ${INT64_MAX}`, isInt64, options.required),
    Transform(toBigint, { toClassOnly: true }),
  );
}

/** Returns whether a value is a 64-bit integer. */
export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

/** Larger integers of the body are bigints already. */
const toBigint = ({ value }: TransformFnParams): unknown =>
  Number.isSafeInteger(value) ? BigInt(value as number) : value;

/** A field with any Unicode text. */
export function TextField({
  maxLength,
  ...options
}: FieldOptions & { maxLength?: number }): PropertyDecorator {
  const isText = (value: unknown) => typeof value === 'string' && hasAtMost(maxLength ?? Infinity, value);
  const bound = maxLength === undefined ? '' : ` of at most ${maxLength} characters`;
  return applyDecorators(
    ApiProperty({ type: 'string', ...(maxLength !== undefined && { maxLength }), ...options }),
    rule('text', `be a string${bound}`, isText, options.required),
  );
}

/** A field with a display name: 1 to 64 visible characters and spaces on one line. */
export function NameField(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_DISPLAY_NAME_LENGTH, ...options }),
    rule('name', NAME_REQUIREMENT, isName, options.required),
  );
}

/** A field with one value of a closed enumeration. */
export function EnumField(
  values: Record<string, string>,
  { name: enumName, description }: { name: string; description: string },
  options: FieldOptions,
): PropertyDecorator {
  const allowed: readonly unknown[] = Object.values(values);
  const isAllowed = (value: unknown) => allowed.includes(value);
  return applyDecorators(
    ApiProperty({ enum: values, enumName, enumSchema: { description }, ...options }),
    rule('enum', `be one of ${allowed.join(', ')}`, isAllowed, options.required),
  );
}

/** A field of a response to whose values others may be added. Its type is `string`: an enum would be closed. */
export function OpenEnumField(values: Record<string, string>, { example }: FieldOptions): PropertyDecorator {
  const extension = { 'x-extensible-enum': Object.values(values) };
  return ApiProperty({ type: 'string', example, ...extension });
}

/** A validation rule with the message "name must be a string, not 5." An optional field may be absent. */
export function rule(
  name: string,
  requirement: string,
  isMet: (value: unknown) => boolean,
  isRequired = true,
): PropertyDecorator {
  const decorator = ValidateBy({
    name,
    validator: {
      validate: isMet,
      defaultMessage: ({ property, value }: ValidationArguments) =>
        value === undefined
          ? `${property} is required.`
          : `${property} must ${requirement}, not ${describeValue(value)}.`,
    },
  });
  const ifPresent = ValidateIf((_object, value) => value !== undefined);
  return isRequired ? decorator : applyDecorators(decorator, ifPresent);
}

/** Control and format characters, which could make a name look like another, and line breaks. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

export const NAME_REQUIREMENT =
  `be a string of 1 to ${MAX_DISPLAY_NAME_LENGTH} characters on one line, with a visible one and without control and ` +
  'format characters';

/** Returns whether a value is a display name: it meets the {@link NAME_REQUIREMENT}. */
export function isName(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return hasAtMost(MAX_DISPLAY_NAME_LENGTH, value) && VISIBLE.test(value) && !INVISIBLE.test(value);
}

/** Returns whether a text has at most a number of characters, of which each takes one or two UTF-16 code units. */
function hasAtMost(maxLength: number, text: string): boolean {
  return text.length <= maxLength || Array.from(text).length <= maxLength;
}

const SHOWN_LENGTH = 40;

/** Formats a value for a message: lists and objects by their types, long texts and integers truncated. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  // A JSON text has no NaN: it stands for a fraction that a double rounds to an integer.
  if (Number.isNaN(value)) return 'a fraction';
  if (value === Infinity || value === -Infinity) return 'a number that is too large';
  const text = String(value);
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return typeof value === 'string' ? JSON.stringify(shown) : shown;
}
