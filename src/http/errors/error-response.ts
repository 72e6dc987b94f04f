import { STATUS_CODES } from 'node:http';

import { HttpException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { ValidationError } from 'class-validator';

import { isDatabaseUnavailable } from '../../database/database-unavailable.js';
import { DomainError, InternalError, InvalidRequest, RateLimited, Unavailable } from '../../domain/errors.js';
import type { ErrorBody } from './error.dto.js';
import { PathNotFound } from './http-errors.js';

/**
 * An exception whose response is an Error body, with the headers of the response. Its `cause` is what was thrown, or an
 * `InternalError` with an unexpected error as its cause.
 */
export class ErrorResponse extends HttpException {
  constructor(
    readonly body: ErrorBody,
    readonly headers: Readonly<Record<string, string>> = {},
    cause?: unknown,
    /** The body of the response, which differs if an exception of a team has another shape. */
    response: object = body,
  ) {
    super(response, body.status, { cause });
  }
}

/** Maps anything that was thrown to an Error body. An unexpected error becomes `internal_error`, without its message. */
export function toErrorResponse(thrown: unknown): ErrorResponse {
  if (thrown instanceof ErrorResponse) return thrown;
  if (thrown instanceof DomainError) return fromDomainError(thrown);
  if (thrown instanceof HttpException) return fromHttpException(thrown);
  if (baseFilter.isHttpError(thrown)) {
    const message = baseFilter.getHttpErrorMessage(thrown);
    return fromHttpException(new HttpException(message, thrown.statusCode, { cause: thrown }));
  }
  return fromDomainError(isDatabaseUnavailable(thrown) ? new Unavailable(thrown) : new InternalError(thrown));
}

/** Nest's filter, which recognises the errors of the library `http-errors` and their public messages. */
const baseFilter = new BaseExceptionFilter();

function fromDomainError(error: DomainError): ErrorResponse {
  const { code, message, status, headers } = error;
  return new ErrorResponse({ code, message, status }, headers, error);
}

interface Content {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly error?: unknown;
}

function fromHttpException(exception: HttpException): ErrorResponse {
  // Nothing exists at a path with an invalid percent-encoding.
  if (exception.cause instanceof URIError) return fromHttpException(new PathNotFound());
  const status = exception.getStatus();
  const response = exception.getResponse();
  // An `Error` as the response is private.
  const content: Content =
    typeof response === 'string' ? { message: response } : response instanceof Error ? {} : response;
  const code = exception.errorCode ?? (typeof content.code === 'string' ? content.code : codeOf(status));
  const body = { code, message: messageOf(content, status), status };
  const hasOwnShape = Object.keys(content).some((name) => !FIELDS.includes(name));
  return new ErrorResponse(body, {}, exception, hasOwnShape ? content : body);
}

const FIELDS = ['code', 'message', 'status', 'statusCode', 'error'];

/** The errors whose codes differ from the reason phrases of their statuses. */
const ERRORS = [
  new InvalidRequest(''),
  new RateLimited(0, {}),
  new InternalError(undefined),
  new Unavailable(undefined),
];

/** Returns the code of a status: in general, the reason phrase in snake case. */
export function codeOf(status: number): string {
  const reason = STATUS_CODES[status] ?? 'error';
  const words = reason.toLowerCase().split(/[^a-z]+/);
  const own = ERRORS.find((error) => error.status === status);
  return own?.code ?? words.filter(Boolean).join('_');
}

/** Returns the public text of an exception, or else the reason phrase of its status. */
function messageOf({ message, error }: Content, status: number): string {
  if (typeof message === 'string' || typeof message === 'number') return String(message);
  const texts = textsOf(message);
  if (texts.length > 0) return texts.map(asSentence).join(' ');
  return typeof error === 'string' ? error : (STATUS_CODES[status] ?? 'Error');
}

/** Returns the texts of an exception of Nest's validation pipe, which has a list of errors, or a list for each field. */
function textsOf(message: unknown): string[] {
  const errors: unknown[] = Object.values(message ?? {});
  return errors
    .flat()
    .flatMap((error) => (error instanceof ValidationError ? Object.values(error.constraints ?? {}) : [error]))
    .filter((text) => typeof text === 'string');
}

/** Ends a message with a full stop. The messages of class-validator have none. */
const asSentence = (text: string) => (text.endsWith('.') ? text : `${text}.`);
