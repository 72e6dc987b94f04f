import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, type TransformFnParams, Type as TypeOf } from 'class-transformer';
import { ValidateNested } from 'class-validator';

import { toExactInteger } from '../../domain/json.js';
import { isInt64 } from './int64.js';
import { isObject, must, rule } from './rule.js';
import { checkName, checkText, NAME_LENGTH } from './text.js';

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
    ApiProperty({ type: 'integer', format: 'int64', required, ...options }),
    Transform(({ value, obj, key }: TransformFnParams) => toExactInteger(value, obj as object, key), {
      toClassOnly: true,
    }),
    rule('int64', must('be an integer from -9223372036854775808 to 9223372036854775807', isInt64), required),
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
    rule('integer', must(`be an integer from ${min} to ${max}`, isWithin), required),
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
    rule('object', must('be an object', isObject), required),
    ValidateNested(),
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
    rule('text', (value) => checkText(value, maxLength), required),
  );
}

/** A field with a display name: 1 to 64 visible characters and spaces on one line. */
export function NameField({ required = true, ...options }: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', minLength: 1, maxLength: NAME_LENGTH, required, ...options }),
    rule('name', checkName, required),
  );
}

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
      must(`be one of ${allowed.join(', ')}`, (value) => allowed.includes(value as string)),
      required,
    ),
  );
}
