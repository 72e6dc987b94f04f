import { BadRequestException, NotImplementedException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

import { HttpVersionNotSupported } from './errors/http-errors.js';

/** `host[:port]` of RFC 3986, sections 3.2.2 and 3.2.3. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\d.:a-f]+\])(?::\d*)?$/i;

/** Middleware that rejects requests whose headers Node accepts but RFC 9112 does not. */
export function checkRequest(request: Request, response: Response, next: NextFunction): void {
  const { host, authorization, 'transfer-encoding': transferEncoding } = request.headers;
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') throw new HttpVersionNotSupported();
  if (host === undefined ? request.httpVersion === '1.1' : !HOST.test(host)) {
    throw new BadRequestException('A request must have exactly one valid Host header.');
  }
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    // Where the request ends is uncertain (RFC 9112, section 6.1).
    response.setHeader('Connection', 'close');
    throw new NotImplementedException('The only transfer coding that the service supports is chunked.');
  }
  // Node joins header lines of the same name with a comma.
  if (authorization?.includes(',') && countLines(request, 'authorization') > 1) {
    throw new BadRequestException('A request must have only one Authorization header.');
  }
  next();
}

function countLines({ rawHeaders }: Request, name: string): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}
