import { HttpException, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PinoLogger } from 'nestjs-pino';

import { isDatabaseUnavailable } from '../database/database-unavailable.js';
import { DomainError, InternalError, InvalidRequest, Unavailable } from '../domain/domain-error.js';
import { hasUnreadBody } from './body.js';
import { ErrorBody } from './error.dto.js';
import { PathNotFound } from './http-errors.js';
import { lingerAtClose } from './linger.js';

/** Turns whatever was thrown into the answer that the client gets, and logs what the client must not see. */
@Injectable()
export class ErrorMapper {
  constructor(private readonly logger: PinoLogger) {}

  /** Puts status and headers onto the answer and returns its body. */
  answer(thrown: unknown, request: Request, response: Response): ErrorBody {
    const error = asDomainError(thrown);
    if (error.status >= 500) {
      this.logger.error({ err: error.cause, requestId: response.getHeader('X-Request-Id') }, error.name);
    }
    // A body that was not read stays unread: the connection ends with this answer.
    if (hasUnreadBody(request)) {
      response.setHeader('Connection', 'close');
      lingerAtClose(request.socket);
    }
    response.status(error.status).set(error.headers);
    return new ErrorBody(error.code, error.message);
  }
}

function asDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  // A path whose escapes cannot be decoded names nothing.
  if (thrown instanceof URIError) return new PathNotFound();
  if (thrown instanceof HttpException) return fromStatus(thrown.getStatus(), thrown);
  // What Express itself refuses, such as a range that a file does not have.
  if (thrown instanceof Error && 'statusCode' in thrown) return fromStatus(Number(thrown.statusCode), thrown);
  if (isDatabaseUnavailable(thrown)) return new Unavailable(thrown);
  return new InternalError(thrown);
}

function fromStatus(status: number, cause: Error): DomainError {
  if (status === 404) return new PathNotFound();
  if (status >= 400 && status < 500) return new InvalidRequest('The request cannot be understood.', cause);
  return new InternalError(cause);
}
