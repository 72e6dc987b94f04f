import { ApiProperty } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';

import { InvalidRequest } from '../domain/errors.js';
import { isInt64, rule } from '../http/validation/field.decorators.js';
import { DEFAULT_PAGE_SIZE, INT64_MAX, MAX_PAGE_BYTES, MAX_PAGE_SIZE } from '../limits.js';

const isDigits = (value: unknown): value is string => typeof value === 'string' && /^\d+$/.test(value);

const isLimit = (value: unknown) => typeof value === 'number' && value >= 1 && value <= MAX_PAGE_SIZE;

const isCursor = (value: unknown) => isInt64(value) && value >= 0n;

const LIMIT_REQUIREMENT = `be a whole number from 1 to ${MAX_PAGE_SIZE}, in digits`;

/** The error of an invalid `limit`, for the document. */
export const INVALID_LIMIT = new InvalidRequest(`limit must ${LIMIT_REQUIREMENT}, not 0.`);

/** The query parameters of a list in pages. */
export class PageQuery {
  @ApiProperty({
    description: `The maximum number of items to return. A page ends earlier when its JSON reaches ${MAX_PAGE_BYTES / 1024} KiB.`,
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    default: DEFAULT_PAGE_SIZE,
    required: false,
  })
  @Transform(({ value }: TransformFnParams) => (isDigits(value) ? Number(value) : (value as unknown)))
  @rule('limit', LIMIT_REQUIREMENT, isLimit)
  readonly limit: number = DEFAULT_PAGE_SIZE;

  /**
   * The cursor: returns only items with larger ids. The `Link` header of a page contains the next one. Ids rise with the
   * order of insertion, not of commit: an item with a smaller id can appear after the page was read.
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, default: 0, required: false })
  @Transform(({ value }: TransformFnParams) => (isDigits(value) ? BigInt(value) : (value as unknown)))
  @rule('after', `be a whole number from 0 to ${INT64_MAX}, in digits`, isCursor)
  readonly after: bigint = 0n;
}
