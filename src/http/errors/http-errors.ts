import { MethodNotAllowedException, NotFoundException } from '@nestjs/common';

import { DomainError, InvalidRequest } from '../../domain/errors.js';
import { BODY_LIMIT_BYTES } from '../../limits.js';

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
    super('payload_too_large', 413, `The body exceeds ${limitBytes} bytes.`);
  }
}

/** The body arrives in too many pieces. The connection is closed, because each further piece takes time. */
export class TooManyPieces extends DomainError {
  constructor(limit: number) {
    super('invalid_request', 400, `The body arrives in more than ${limit} pieces.`, {
      headers: { Connection: 'close' },
    });
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

/** The operation reads no body of this content type. */
export class UnknownContentType extends InvalidRequest {
  constructor(contentType: string | undefined) {
    const found = contentType === undefined ? 'no content type' : `the content type "${contentType}"`;
    super(`The body has ${found}. Send a JSON object in UTF-8 with the Content-Type application/json.`);
  }
}

/** The errors of every operation with a body, for the OpenAPI document. */
export const BODY_ERRORS: readonly DomainError[] = [
  new PayloadTooLarge(BODY_LIMIT_BYTES),
  new UnsupportedContentCoding(),
];

/** The codes of errors outside of operations, and of an unexpected error, which no operation documents. */
export const COMMON_CODES = [
  ...['internal_error', 'method_not_allowed', 'not_found', 'request_header_fields_too_large'],
  ...['request_timeout', 'uri_too_long'],
];

/** Node could not read a request: its target is too long. */
export class UriTooLong extends DomainError {
  constructor(limitBytes: number) {
    super('uri_too_long', 414, `The target of the request exceeds ${limitBytes} bytes.`);
  }
}

/** Node could not read a request: its headers are too large. */
export class RequestHeaderFieldsTooLarge extends DomainError {
  constructor(limitBytes: number) {
    super(
      'request_header_fields_too_large',
      431,
      `The target and the headers together exceed ${limitBytes} bytes.`,
    );
  }
}

/** Node could not read a request in time. */
export class RequestTimeout extends DomainError {
  constructor() {
    super('request_timeout', 408, 'The request took too long to arrive.');
  }
}
