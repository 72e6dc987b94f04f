import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

import { INT64_MAX, INT64_MIN, isInt64, MAX_DISPLAY_NAME_LENGTH } from '../../limits.js';

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
  const check = must(`be an integer from ${INT64_MIN} to ${INT64_MAX}`, isInt64);
  return applyDecorators(
    field({ type: 'integer', format: 'int64' }, options, 'int64', check),
    Transform(toBigint, { toClassOnly: true }),
  );
}

/** Larger integers of the body are bigints already. */
const toBigint = ({ value }: TransformFnParams): unknown =>
  Number.isSafeInteger(value) ? BigInt(value as number) : value;

/** A field with any Unicode text. */
export function TextField({
  maxLength,
  ...options
}: FieldOptions & { maxLength?: number }): PropertyDecorator {
  const schema = { type: 'string', ...(maxLength !== undefined && { maxLength }) };
  return field(schema, options, 'text', checkFor(problemOfText(maxLength)));
}

/** A field with a display name: 1 to 64 visible characters and spaces on one line. */
export function NameField(options: FieldOptions): PropertyDecorator {
  const schema = { type: 'string', minLength: 1, maxLength: MAX_DISPLAY_NAME_LENGTH };
  return field(schema, options, 'name', checkFor(problemOfName));
}

/** A field with one value of a closed enumeration. */
export function EnumField(
  values: Record<string, string>,
  { name: enumName, description }: { name: string; description: string },
  options: FieldOptions,
): PropertyDecorator {
  const allowed: readonly unknown[] = Object.values(values);
  const schema = { enum: values, enumName, enumSchema: { description } };
  const check = must(`be one of ${allowed.join(', ')}`, (value) => allowed.includes(value));
  return field(schema, options, 'enum', check);
}

function field(
  schema: object,
  { required = true, ...options }: FieldOptions,
  name: string,
  check: Check,
): PropertyDecorator {
  return applyDecorators(ApiProperty({ ...schema, required, ...options }), rule(name, check, required));
}

/** A field of a response to whose values others may be added. Its type is `string`: an enum would be closed. */
export function OpenEnumField(values: Record<string, string>, { example }: FieldOptions): PropertyDecorator {
  const extension = { 'x-extensible-enum': Object.values(values) };
  return ApiProperty({ type: 'string', example, ...extension });
}

/** Describes the problem with a value: "must be a string, not 5". Returns undefined if the value is valid. */
type ProblemOf = (value: unknown) => string | undefined;

/** A check of a value. Only invalid values have a problem. */
interface Check {
  readonly isValid: (value: unknown) => boolean;
  readonly problemOf: ProblemOf;
}

/** A validation rule. Its message is the problem: "name must be a string, not 5." An optional field may be absent. */
export function rule(name: string, { isValid, problemOf }: Check, required = true): PropertyDecorator {
  const decorator = ValidateBy({
    name,
    validator: {
      validate: isValid,
      defaultMessage: ({ property, value }: ValidationArguments) =>
        value === undefined ? `${property} is required.` : `${property} ${problemOf(value)}.`,
    },
  });
  const ifPresent = ValidateIf((_object, value) => value !== undefined);
  return required ? decorator : applyDecorators(decorator, ifPresent);
}

export function must(requirement: string, isValid: Check['isValid']): Check {
  return { isValid, problemOf: (value) => `must ${requirement}, not ${describeValue(value)}` };
}

const checkFor = (problemOf: ProblemOf): Check => ({
  isValid: (value) => problemOf(value) === undefined,
  problemOf,
});

/** Describes the problem with a text that may have up to `maxLength` characters. */
function problemOfText(maxLength = Infinity): ProblemOf {
  return (value) => {
    if (typeof value !== 'string') return `must be a string, not ${describeValue(value)}`;
    // A character takes one or two UTF-16 code units.
    if (value.length <= maxLength) return undefined;
    const { length } = Array.from(value);
    return length > maxLength ? `must have at most ${maxLength} characters, not ${length}` : undefined;
  };
}

/** Control and format characters, which could make a name look like another, and line breaks. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** Returns what is wrong with a display name, as the predicate of a sentence, or undefined. */
export function problemOfName(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be a string, not ${describeValue(value)}`;
  const { length } = Array.from(value);
  if (length === 0 || length > MAX_DISPLAY_NAME_LENGTH) {
    return `must have 1 to ${MAX_DISPLAY_NAME_LENGTH} characters, not ${length}`;
  }
  if (!VISIBLE.test(value)) return 'must contain a visible character, not only spaces';
  return INVISIBLE.test(value) ? 'must be on one line, without control and format characters' : undefined;
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
