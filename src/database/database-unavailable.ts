import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';

import { Unavailable } from '../domain/domain-error.js';

/** SQLSTATEs, or classes of them, of a server that is away, full, too slow or not to be written to at the moment. */
const SQLSTATES = ['08', '28', '3D', '40001', '40P01', '53', '55P03', '57', '25006', '25P03'];

const SOCKET_CODES = /^(?:ECONN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT$)/;

/** What pg says, in errors without a code, when a connection cannot be had, is lost, or does not answer. */
const DRIVER_MESSAGES = [
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
];

/** Tells whether an error means that the database cannot answer now, rather than that the question is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof Unavailable) return true;
  // TypeORM releases the connection when it is lost.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryFailedError) return isDatabaseUnavailable(error.driverError);
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    (code.length === 5 && SQLSTATES.some((prefix) => code.startsWith(prefix))) ||
    SOCKET_CODES.test(code) ||
    DRIVER_MESSAGES.some((text) => error.message.startsWith(text))
  );
}
