import { STATUS_CODES } from 'node:http';

import { HttpException } from '@nestjs/common';

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
  if (isHttpError(thrown)) {
    return fromHttpException(new HttpException(thrown.message, thrown.statusCode, { cause: thrown }));
  }
  return fromDomainError(isDatabaseUnavailable(thrown) ? new Unavailable(thrown) : new InternalError(thrown));
}

/**
 * Returns whether this is an error of the library `http-errors`, which Express middleware uses, with a public message.
 */
function isHttpError(thrown: unknown): thrown is Error & { readonly statusCode: number } {
  const isPublic = thrown instanceof Error && 'expose' in thrown && thrown.expose === true;
  return isPublic && 'statusCode' in thrown && typeof thrown.statusCode === 'number';
}

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
  if (exception.cause instanceof URIError) return fromDomainError(new PathNotFound());
  const status = exception.getStatus();
  return new ErrorResponse(new ErrorBody(codeOf(status), messageOf(exception), status), {}, exception);
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

/** Returns the message of an exception. An exception of Nest's validation pipe has a list of messages. */
function messageOf(exception: HttpException): string {
  const response = exception.getResponse();
  const message =
    typeof response === 'object' && 'message' in response ? response.message : exception.message;
  return Array.isArray(message) ? message.map(asSentence).join(' ') : String(message);
}

/** Ends a message with a full stop. The messages of class-validator have none. */
export function asSentence(message: unknown): string {
  const text = String(message);
  return text.endsWith('.') ? text : `${text}.`;
}
