import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

import { toExactInteger } from '../domain/json.js';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The bounds of int64 in a schema, exactly. The types of the document declare numbers only. */
export const INT64_BOUNDS = { minimum: INT64_MIN, maximum: INT64_MAX } as unknown as Record<
  'minimum' | 'maximum',
  number
>;

/** How the published document describes a field. */
interface FieldOptions {
  example: unknown;
  /** Default: the doc comment, if the build runs the plugin of @nestjs/swagger. */
  description?: string;
}

/** A field with an integer of 64 bits: a number in JSON, a bigint in the DTO. */
export function Int64Field(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...INT64_BOUNDS, ...options }),
    Transform(({ value, obj, key }: TransformFnParams) => toExactInteger(value, obj as object, key), {
      toClassOnly: true,
    }),
    rule('int64', 'must be an integer from -9223372036854775808 to 9223372036854775807', isInt64),
  );
}

/** A field with any Unicode text that PostgreSQL can store without loss: no U+0000 and no lone surrogates. */
export function TextField({
  maxLength,
  ...options
}: FieldOptions & { maxLength?: number }): PropertyDecorator {
  const limit = maxLength === undefined ? '' : ` of at most ${maxLength} characters`;
  return applyDecorators(
    ApiProperty({ type: 'string', ...(maxLength !== undefined && { maxLength }), ...options }),
    rule('text', `must be a string${limit}, without U+0000 and lone surrogates`, (value) =>
      isStorableText(value, maxLength),
    ),
  );
}

/** A field with a name that people read: 1 to 64 visible characters and spaces on one line. */
export function NameField(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', minLength: 1, maxLength: NAME_LENGTH, ...options }),
    rule('name', `must be 1 to ${NAME_LENGTH} visible characters and spaces on one line`, isName),
  );
}

const NAME_LENGTH = 64;

/** Control and format characters, which could imitate another name, and line breaks. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}]/u;

/** A field with one value of an enumeration. Unlike class-validator's `IsOptional`, it refuses null where it is optional. */
export function EnumField(
  values: Record<string, string>,
  schema: { name: string; description: string },
  { required, ...options }: FieldOptions & { required: boolean },
): PropertyDecorator {
  const allowed = Object.values(values);
  return applyDecorators(
    ApiProperty({
      enum: values,
      enumName: schema.name,
      enumSchema: { description: schema.description },
      required,
      ...options,
    }),
    rule('enum', `must be one of ${allowed.join(', ')}`, (value) => allowed.includes(value as string)),
    ...(required ? [] : [IsOptionalNotNull()]),
  );
}

/** Accepts an absent field, but not null. */
function IsOptionalNotNull(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** A query parameter with the id after which a page starts: decimal digits in the URL, a bigint in the DTO. */
export function CursorParam(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...INT64_BOUNDS, minimum: 0, required: false }),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? BigInt(value) : value)),
    rule('after', `must be a whole number from 0 to ${INT64_MAX}, in digits`, (v) => isInt64(v) && v >= 0n),
    IsOptionalNotNull(),
  );
}

/** A query parameter with the size of a page, 1 to 100: decimal digits in the URL, a number in the DTO. */
export function LimitParam(): PropertyDecorator {
  const [minimum, maximum] = [1, 100];
  const inBounds = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum, maximum, required: false }),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? Number(value) : value)),
    rule('limit', `must be a whole number from ${minimum} to ${maximum}, in digits`, inBounds),
  );
}

/** A validation rule whose message also covers a missing field: "name is required." */
function rule(name: string, requirement: string, validate: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate,
      defaultMessage: (args?: ValidationArguments) =>
        `${args?.property} ${args?.value === undefined ? 'is required' : requirement}.`,
    },
  });
}

function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

function isStorableText(value: unknown, maxLength = Infinity): value is string {
  return (
    typeof value === 'string' && value.isWellFormed() && !value.includes('\0') && isWithin(value, maxLength)
  );
}

function isName(value: unknown): value is string {
  return (
    typeof value === 'string' && isWithin(value, NAME_LENGTH) && VISIBLE.test(value) && !INVISIBLE.test(value)
  );
}

/** Counts characters as code points, of which each takes one or two units of a string. */
function isWithin(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return true;
  return text.length <= 2 * maxLength && Array.from(text).length <= maxLength;
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d+$/.test(value);
}
