import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, type TransformFnParams, Type as TypeOf } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';

import { toExactInteger } from '../domain/json.js';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The exact bounds of int64 in a schema. The types of @nestjs/swagger declare numbers only. */
export const INT64_BOUNDS = { minimum: INT64_MIN, maximum: INT64_MAX } as unknown as Record<
  'minimum' | 'maximum',
  number
>;

/** The description of a field in the OpenAPI document, and whether the field is required. */
export interface FieldOptions {
  example: unknown;
  /** Default: true. An optional field may be absent but not null, unlike with class-validator's `IsOptional`. */
  required?: boolean;
  /** Default: the doc comment, if the build uses the plugin of @nestjs/swagger. */
  description?: string;
}

/** A field with a 64-bit integer: a number in JSON, a bigint in the DTO. */
export function Int64Field({ required = true, ...options }: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...INT64_BOUNDS, required, ...options }),
    Transform(({ value, obj, key }: TransformFnParams) => toExactInteger(value, obj as object, key), {
      toClassOnly: true,
    }),
    rule('int64', 'must be an integer from -9223372036854775808 to 9223372036854775807', isInt64, required),
  );
}

/** A field with an integer of at most 53 bits: a number in JSON and in the DTO. */
export function IntegerField({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
  required = true,
  ...options
}: FieldOptions & { min?: number; max?: number }): PropertyDecorator {
  const isWithin = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum: min, maximum: max, required, ...options }),
    rule('integer', `must be an integer from ${min} to ${max}`, isWithin, required),
  );
}

/** A field with an object of a DTO class, which is validated by the rules of the class. */
export function ObjectField(
  dto: Type<object>,
  { required = true, ...options }: Partial<FieldOptions> = {},
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: dto, required, ...options }),
    TypeOf(() => dto),
    rule('object', 'must be an object', isObject, required),
    ValidateNested(),
  );
}

/**
 * A field with a list.
 *
 * @param item the class of the items: `String` for texts that PostgreSQL can store, or a DTO class
 * @param options `maxItems` and, for texts, `maxItemLength` in characters
 */
export function ListField(
  item: Type<object> | StringConstructor,
  {
    maxItems,
    maxItemLength,
    required = true,
    ...options
  }: Partial<FieldOptions> & { maxItems: number; maxItemLength?: number },
): PropertyDecorator {
  const isText = item === String;
  const isItem = (value: unknown) => (isText ? isStorableText(value, maxItemLength) : isObject(value));
  const itemProblem = (value: unknown) =>
    isText ? textProblem(value, maxItemLength) : `must be an object, not ${shown(value)}`;
  const problem = (value: unknown) => {
    if (!Array.isArray(value)) return `must be a list, not ${shown(value)}`;
    if (value.length > maxItems) return `must have at most ${maxItems} items, not ${value.length}`;
    const index = value.findIndex((each) => !isItem(each));
    return `must have valid items: item ${index + 1} ${itemProblem(value[index])}`;
  };
  const isList = (value: unknown) => Array.isArray(value) && value.length <= maxItems && value.every(isItem);
  const maxLength = isText && maxItemLength !== undefined ? { maxLength: maxItemLength } : {};
  return applyDecorators(
    isText
      ? ApiProperty({
          type: 'array',
          items: { type: 'string', ...maxLength },
          maxItems,
          required,
          ...options,
        })
      : ApiProperty({ type: [item], maxItems, required, ...options }),
    rule('list', problem, isList, required),
    ...(isText ? [] : [TypeOf(() => item), ValidateNested({ each: true })]),
  );
}

/** A field with any Unicode text that PostgreSQL can store without loss: no U+0000 and no lone surrogates. */
export function TextField({
  maxLength,
  required = true,
  ...options
}: FieldOptions & { maxLength?: number }): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', ...(maxLength !== undefined && { maxLength }), required, ...options }),
    rule(
      'text',
      (value) => textProblem(value, maxLength),
      (value) => isStorableText(value, maxLength),
      required,
    ),
  );
}

/** A field with a display name: 1 to 64 visible characters and spaces on one line. */
export function NameField({ required = true, ...options }: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', minLength: 1, maxLength: NAME_LENGTH, required, ...options }),
    rule('name', nameProblem, isName, required),
  );
}

const NAME_LENGTH = 64;

/** Control and format characters, which could make a name look like another, and line breaks. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}]/u;

/** A field with one value of an enumeration. */
export function EnumField(
  values: Record<string, string>,
  schema: { name: string; description: string },
  { required = true, ...options }: FieldOptions,
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
    rule(
      'enum',
      `must be one of ${allowed.join(', ')}`,
      (value) => allowed.includes(value as string),
      required,
    ),
  );
}

/** A query parameter with the cursor of a page, an id: decimal digits in the URL, a bigint in the DTO. */
export function CursorParam(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...INT64_BOUNDS, minimum: 0, required: false }),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? BigInt(value) : value)),
    rule(
      'after',
      `must be a whole number from 0 to ${INT64_MAX}, in digits`,
      (v) => isInt64(v) && v >= 0n,
      false,
    ),
  );
}

/**
 * A query parameter with the page size, 1 to 100: decimal digits in the URL, a number in the DTO.
 *
 * @param options the default in the document; the service applies it to an absent parameter
 */
export function LimitParam(options: { default?: number } = {}): PropertyDecorator {
  const [minimum, maximum] = [1, 100];
  const inBounds = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum, maximum, required: false, ...options }),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? Number(value) : value)),
    rule('limit', `must be a whole number from ${minimum} to ${maximum}, in digits`, inBounds, false),
  );
}

/**
 * A validation rule. Its message contains the requirement and the value: "name is required.", "limit must be a whole
 * number from 1 to 100, in digits, not 0." An optional field may be absent.
 *
 * @param requirement what the value must be, or a function that describes the problem with a value
 */
function rule(
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
          typeof requirement === 'string' ? `${requirement}, not ${shown(value)}` : requirement(value);
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

/** Formats a value for a message: lists and objects by their types, long texts truncated. */
function shown(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value);
  }
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

const SHOWN_LENGTH = 40;

function textProblem(value: unknown, maxLength = Infinity): string {
  if (typeof value !== 'string') return `must be a string, not ${shown(value)}`;
  if (value.includes('\0')) return 'must not contain the character U+0000';
  if (!value.isWellFormed()) return 'must not contain a lone surrogate';
  return `must have at most ${maxLength} characters, not ${Array.from(value).length}`;
}

function nameProblem(value: unknown): string {
  if (typeof value !== 'string') return `must be a string, not ${shown(value)}`;
  const length = Array.from(value).length;
  if (length === 0 || length > NAME_LENGTH) return `must have 1 to ${NAME_LENGTH} characters, not ${length}`;
  if (!VISIBLE.test(value)) return 'must contain a visible character, not only spaces';
  return 'must be on one line, without control and format characters';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** Counts characters as code points. Each takes one or two UTF-16 code units. */
function isWithin(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return true;
  return text.length <= 2 * maxLength && Array.from(text).length <= maxLength;
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d+$/.test(value);
}
