import {
  HttpVersionNotSupportedException,
  MethodNotAllowedException,
  NotFoundException,
} from '@nestjs/common';

import { DomainError } from '../../domain/domain-error.js';

/** No operation has this path. */
export class PathNotFound extends NotFoundException {
  constructor() {
    super('This path does not exist.');
  }
}

/**
 * The path has operations, but none with this method. The response has the header `Allow` (RFC 9110, section 15.5.6).
 */
export class MethodNotAllowed extends MethodNotAllowedException {
  constructor(allowed: readonly string[]) {
    super(`This path supports ${allowed.join(', ')}.`);
  }
}

/** The body exceeds the limit. */
export class PayloadTooLarge extends DomainError {
  constructor(limitBytes: number) {
    super('payload_too_large', `The body exceeds ${limitBytes} bytes.`);
  }
}

/** The body arrives in too many pieces. The connection is closed, because each further piece takes time. */
export class TooManyPieces extends DomainError {
  override readonly headers = { Connection: 'close' };

  constructor(limit: number) {
    super('invalid_request', `The body arrives in more than ${limit} pieces.`);
  }
}

/** The request uses a version of HTTP other than 1.0 and 1.1 (RFC 9110, section 15.6.6). */
export class HttpVersionNotSupported extends HttpVersionNotSupportedException {
  constructor() {
    super('The service supports HTTP/1.1 and HTTP/1.0.');
  }
}
