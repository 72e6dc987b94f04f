import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';

import { type ErrorCode, STATUS_OF_CODE } from '../domain/error-codes.js';
import { ErrorBody } from '../http/error.dto.js';
import { header } from '../openapi/header.js';
import { KEY_PATTERN } from './idempotency-key.js';

const ERRORS: ErrorCode[] = ['conflict', 'idempotency_mismatch'];

/** Documents that an operation takes an `Idempotency-Key`. Its handler does its work by `Idempotency.once`. */
export function Idempotent(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'A name of your own for this request, such as a UUID, so that you can repeat it without doing it twice. ' +
        'A string in quotes (RFC 9651), of 1 to 255 ASCII characters, or the same without quotes if it holds ' +
        'no space, quote or comma.',
      required: false,
      schema: { type: 'string', pattern: KEY_PATTERN, examples: ['"8e03978e-40d5-43e8-bc93-6894a57f9324"'] },
      extensions: { 'x-stability': 'experimental' },
    }),
    ...ERRORS.map((code) => ApiResponse({ status: STATUS_OF_CODE[code], type: ErrorBody })),
  );
}

/** The header of an answer that was given before. */
export const REPLAYED = {
  'Idempotency-Replayed': header(
    'Present, and `true`, when this is the answer to an earlier request with the same `Idempotency-Key`.',
    'true',
  ),
};
