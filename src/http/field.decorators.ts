import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The bounds of int64 in a schema: written in full, though the types of the document know numbers only. */
export const INT64_BOUNDS = { minimum: INT64_MIN, maximum: INT64_MAX } as unknown as Record<
  'minimum' | 'maximum',
  number
>;

/** How a field stands in the published document. */
interface FieldOptions {
  example: unknown;
  /** Where it is left out, the doc comment is the description, if the build runs the plugin of @nestjs/swagger. */
  description?: string;
}

/** A field that holds an integer of 64 bits, as a bigint. */
export function Int64Field(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...INT64_BOUNDS, ...options }),
    rule('int64', 'must be an integer from -9223372036854775808 to 9223372036854775807', isInt64),
  );
}

/** A field that holds any Unicode text that can be stored without loss: no U+0000, no lone surrogate. */
export function TextField(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', pattern: '^[^\\u0000\\uD800-\\uDFFF]*$', ...options }),
    rule('text', 'must be a string of Unicode text without U+0000 and lone surrogates', isStorableText),
  );
}

/** A field that holds a name that people see: some text on one line. */
export function NameField(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', minLength: 1, maxLength: NAME_LENGTH, pattern: NAME.source, ...options }),
    rule('name', `must be a line of 1 to ${NAME_LENGTH} visible characters and spaces`, isName),
  );
}

const NAME_LENGTH = 64;

/** No control or format characters, which could pretend to be another name, and more than spaces. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}][^\p{C}\p{Zl}\p{Zp}]*$/u;

/** A field that holds one value of an enumeration. Unlike class-validator's IsOptional, an optional one refuses null. */
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
    ...(required ? [] : [AbsentOr()]),
  );
}

/** Lets a field be absent. Null is not absent. */
function AbsentOr(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** A query parameter in decimal digits, which becomes a bigint: an id after which a page starts. */
export function CursorParam(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...INT64_BOUNDS, minimum: 0, required: false }),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? BigInt(value) : value)),
    rule('after', `must be a whole number from 0 to ${INT64_MAX}, in digits`, (v) => isInt64(v) && v >= 0n),
    AbsentOr(),
  );
}

/** A query parameter in decimal digits, which becomes a number: how long a page may be, 1 to 100. */
export function LimitParam(): PropertyDecorator {
  const [minimum, maximum] = [1, 100];
  const inBounds = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum, maximum, required: false }),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? Number(value) : value)),
    rule('limit', `must be a whole number from ${minimum} to ${maximum}, in digits`, inBounds),
  );
}

function rule(name: string, requirement: string, validate: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate,
      defaultMessage: (args?: ValidationArguments) => `${args?.property} ${requirement}.`,
    },
  });
}

function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && Array.from(value).length <= NAME_LENGTH && NAME.test(value);
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d+$/.test(value);
}
