import pg from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, TypeORMError } from 'typeorm';

import { messageOf, Unavailable } from '../domain/errors.js';

/** The SQLSTATE of a write to a server that is read-only: a standby, or a demoted primary. */
export const READ_ONLY = '25006';

/** The SQLSTATE of a statement that has run for longer than `statement_timeout`. */
const QUERY_CANCELED = '57014';

/** The SQLSTATEs, or their classes, of a server that is unavailable, full, too slow or read-only, or whose disk fails. */
const SQLSTATES = [
  '08',
  '28',
  '3D',
  '40001',
  '40P01',
  '53',
  '55P03',
  '57',
  '58030',
  READ_ONLY,
  '25P03',
  '25P04',
];

const SOCKET_CODES =
  /^(?:ECONN|EHOST(?:UNREACH|DOWN)|ENET(?:UNREACH|DOWN)|EADDRNOTAVAIL|E[MN]FILE|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/;

/** The codes of TLS that fails: mostly, of a certificate that is not trusted, not valid or of another host. */
export const TLS_CODES =
  /^CERT_|SELF_SIGNED_CERT|^UNABLE_TO_(?:GET|VERIFY|DEC)|^INVALID_(?:CA|PURPOSE)$|^HOSTNAME_MISMATCH$|^ERR_(?:TLS|SSL)_/;

/** The messages of errors without a code of their own: a connection is not opened, is refused or lost, or hangs. */
const MESSAGES = [
  'Driver not Connected',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'The server does not support SSL connections',
  'SASL: ',
  // Citus reports as an internal error that its coordinator or a worker has ended, in the words of libpq or its own.
  'postmaster was shut down',
  'server closed the connection unexpectedly',
  'SSL SYSCALL error',
  'SSL error',
  'SSL connection has been closed',
  'could not receive data from server',
  'could not send data to server',
  'no connection to the server',
  'could not commit transaction',
  'failure on connection marked as essential',
];

/** Returns whether a statement took too long: the server has ended it, or this process has closed the connection. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === QUERY_CANCELED) || error.message === 'Connection terminated';
}

/** Returns whether the server refused a prepared statement, because its columns have other types than before. */
export function isPlanOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';
}

/** Returns whether an error means that its connection, and all that are as old, can no longer be used. */
export function isConnectionOutdated(error: unknown): boolean {
  return isPlanOutdated(error) || (error instanceof pg.DatabaseError && error.code === READ_ONLY);
}

/** The errors of the database. Other servers, such as those that a team calls, fail with the same codes and messages. */
const errorsOfDatabase = new WeakSet<object>();

/** Records and returns an error of the database. */
export function recordError<Thrown>(error: Thrown): Thrown {
  if (error instanceof Error) errorsOfDatabase.add(error);
  return error;
}

/** Returns whether the database has thrown an error, rather than another server. */
export function isOfDatabase(error: unknown): boolean {
  const thrown: unknown = error instanceof QueryFailedError ? error.driverError : error;
  // TypeORM releases a lost connection, and has none after the stop.
  return thrown instanceof TypeORMError || errorsOfDatabase.has(Object(thrown) as object);
}

/** Returns whether an error of the database means that it is unavailable, rather than that a statement is invalid. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof Unavailable) return true;
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryFailedError) return isDatabaseUnavailable(error.driverError);
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    (code.length === 5 && SQLSTATES.some((prefix) => code.startsWith(prefix))) ||
    isConnectionOutdated(error) ||
    SOCKET_CODES.test(code) ||
    TLS_CODES.test(code) ||
    // The Unix socket of the server does not exist. Other files that do not exist have the same code.
    (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') ||
    MESSAGES.some((text) => messageOf(error).startsWith(text))
  );
}
