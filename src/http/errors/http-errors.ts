import { NotFoundException } from '@nestjs/common';

import { DomainError } from '../../domain/errors.js';
import { BODY_LIMIT_BYTES } from '../../limits.js';

export class PathNotFound extends NotFoundException {
  constructor() {
    super('This path does not exist.');
  }
}

export class PayloadTooLarge extends DomainError {
  constructor(limitBytes: number) {
    super('payload_too_large', 413, `The body exceeds ${limitBytes} bytes.`);
  }
}

/** The body has a content coding that the service does not decode (RFC 9110, section 12.5.3). */
export class UnsupportedContentCoding extends DomainError {
  constructor() {
    super('unsupported_media_type', 415, 'The body must be sent without a Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
}

/** The errors of every operation with a body, for the OpenAPI document. */
export const BODY_ERRORS: readonly DomainError[] = [
  new PayloadTooLarge(BODY_LIMIT_BYTES),
  new UnsupportedContentCoding(),
];
