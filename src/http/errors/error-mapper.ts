import { STATUS_CODES } from 'node:http';

import { HttpException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { ValidationError } from 'class-validator';

import { isDatabaseUnavailable } from '../../database/database-unavailable.js';
import { DomainError, InternalError, Unavailable } from '../../domain/domain-error.js';
import { type ServiceErrorCode, STATUS_OF_CODE } from '../../domain/error-codes.js';
import { ErrorBody } from './error.dto.js';
import { PathNotFound } from './http-errors.js';

/** An exception whose response is an Error body, with the headers of the response. */
export class ErrorResponse extends HttpException {
  constructor(
    readonly body: ErrorBody,
    readonly headers: Readonly<Record<string, string>> = {},
    cause?: unknown,
  ) {
    super(body, body.status, { cause });
  }
}

/** The HTTP statuses of all error codes, by code. */
export type Statuses = ReadonlyMap<string, number>;

/** Injection token of the {@link Statuses}. */
export const STATUSES = Symbol('Statuses');

const SERVICE_STATUSES: Statuses = new Map(Object.entries(STATUS_OF_CODE));

/**
 * Maps anything that was thrown to an Error body. An unexpected error becomes `internal_error`, without its message.
 *
 * @param statuses default: those of the service's own codes
 */
export function toErrorResponse(thrown: unknown, statuses: Statuses = SERVICE_STATUSES): ErrorResponse {
  if (thrown instanceof ErrorResponse) return thrown;
  if (thrown instanceof DomainError) return fromDomainError(thrown, statuses);
  if (thrown instanceof HttpException) return fromHttpException(thrown);
  if (baseFilter.isHttpError(thrown)) {
    const message = baseFilter.getHttpErrorMessage(thrown);
    return fromHttpException(new HttpException(message, thrown.statusCode, { cause: thrown }));
  }
  return fromDomainError(isDatabaseUnavailable(thrown) ? new Unavailable(thrown) : new InternalError(thrown));
}

/** Nest's filter, which recognises the errors of the library `http-errors` and their public messages. */
const baseFilter = new BaseExceptionFilter();

function fromDomainError(error: DomainError, statuses: Statuses = SERVICE_STATUSES): ErrorResponse {
  const { code, message, headers } = error;
  const status = statuses.get(code);
  if (status === undefined) {
    return fromDomainError(new InternalError(new Error(`composition.errorCodes lacks ${code}.`)));
  }
  return new ErrorResponse(new ErrorBody(code, message, status), headers, error);
}

function fromHttpException(exception: HttpException): ErrorResponse {
  // Nothing exists at a path with an invalid percent-encoding.
  if (exception.cause instanceof URIError) return fromHttpException(new PathNotFound());
  const status = exception.getStatus();
  const code = exception.errorCode ?? codeOf(status);
  return new ErrorResponse(new ErrorBody(code, messageOf(exception), status), {}, exception);
}

/** A code of the published table that only one cause has, so the status alone does not imply it. */
const SPECIFIC_CODE: ServiceErrorCode = 'idempotency_mismatch';

/** Returns the published code of a status, or else its reason phrase in snake case. */
function codeOf(status: number): string {
  const codes = (Object.keys(STATUS_OF_CODE) as ServiceErrorCode[]).filter((code) => code !== SPECIFIC_CODE);
  const reason = STATUS_CODES[status] ?? 'error';
  return (
    codes.find((code) => STATUS_OF_CODE[code] === status) ??
    reason
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter(Boolean)
      .join('_')
  );
}

/** The parts of the response of an exception that have a text for the client. */
interface Texts {
  readonly message?: unknown;
  readonly error?: unknown;
}

/** Returns the public text of an exception, or else the reason phrase of its status. An `Error` in it is private. */
function messageOf(exception: HttpException): string {
  const response = exception.getResponse();
  if (typeof response === 'string') return response;
  const { message, error }: Texts = response instanceof Error ? {} : response;
  if (typeof message === 'string' || typeof message === 'number') return String(message);
  const texts = textsOf(message);
  if (texts.length > 0) return texts.map(asSentence).join(' ');
  return typeof error === 'string' ? error : (STATUS_CODES[exception.getStatus()] ?? 'Error');
}

/** Returns the texts of an exception of Nest's validation pipe, which has a list of errors, or a list for each field. */
function textsOf(message: unknown): string[] {
  const errors: unknown[] = Array.isArray(message)
    ? message
    : Object.values(message ?? {})
        .filter((value) => Array.isArray(value))
        .flat();
  return errors
    .flatMap((error) => (error instanceof ValidationError ? Object.values(error.constraints ?? {}) : [error]))
    .filter((text) => typeof text === 'string');
}

/** Ends a message with a full stop. The messages of class-validator have none. */
export function asSentence(message: unknown): string {
  const text = String(message);
  return text.endsWith('.') ? text : `${text}.`;
}
