import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** Options of a field in the published document. `description` comes from the field's doc comment. */
type FieldOptions = Pick<ApiPropertyOptions, 'description'> & { example: unknown };

/** A field that holds an integer of 64 bits, as a bigint. */
export function Int64Field(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', minimum: INT64_MIN, maximum: INT64_MAX, ...options } as object),
    rule('int64', 'must be an integer from -9223372036854775808 to 9223372036854775807', isInt64),
  );
}

/** A field that holds any Unicode text that can be stored without loss: no U+0000, no lone surrogate. */
export function TextField(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', pattern: '^[^\\u0000\\uD800-\\uDFFF]*$', ...options } as object),
    rule('text', 'must be a string of Unicode text without U+0000 and lone surrogates', isStorableText),
  );
}

/** A field that holds one value of an enumeration. Unlike class-validator's IsOptional, an optional one refuses null. */
export function EnumField(name: string, values: Record<string, string>, options: FieldOptions & { required: boolean }) {
  return applyDecorators(
    ApiProperty({ enum: values, enumName: name, ...options } as object),
    rule('enum', `must be one of ${Object.values(values).join(', ')}`, (value) =>
      Object.values(values).includes(value as string),
    ),
    ...(options.required ? [] : [AbsentOr()]),
  );
}

/** Lets a field be absent. Null is not absent. */
export function AbsentOr(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** A query parameter in decimal digits, which becomes a bigint: an id after which a page starts. */
export function AfterParameter(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', minimum: 0, maximum: INT64_MAX, required: false } as object),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? BigInt(value) : value)),
    rule('after', `must be a whole number from 0 to ${INT64_MAX}, in digits`, (v) => isInt64(v) && v >= 0n),
    AbsentOr(),
  );
}

/** A query parameter in decimal digits, which becomes a number: how long a page may be, 1 to 100. */
export function LimitParameter(): PropertyDecorator {
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
    validator: { validate, defaultMessage: (args?: ValidationArguments) => `${args?.property} ${requirement}.` },
  });
}

function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d+$/.test(value);
}
