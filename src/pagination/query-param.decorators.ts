import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';

import { INT64_MAX, isInt64 } from '../http/validation/int64.js';
import { must, rule } from '../http/validation/rule.js';

/** A query parameter with the cursor of a page, an id: decimal digits in the URL, a bigint in the DTO. */
export function CursorParam(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', minimum: 0, required: false }),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? BigInt(value) : value)),
    rule('after', must(`be a whole number from 0 to ${INT64_MAX}, in digits`, isCursor), false),
  );
}

/** A query parameter with the page size, 1 to 100: decimal digits in the URL, a number in the DTO. */
export function LimitParam(): PropertyDecorator {
  const [minimum, maximum] = [1, 100];
  const inBounds = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum, maximum, required: false }),
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? Number(value) : value)),
    rule('limit', must(`be a whole number from ${minimum} to ${maximum}, in digits`, inBounds), false),
  );
}

const isCursor = (value: unknown) => isInt64(value) && value >= 0n;

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d+$/.test(value);
}
