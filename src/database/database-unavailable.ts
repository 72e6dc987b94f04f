import pg from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, TypeORMError } from 'typeorm';

import { Unavailable } from '../domain/errors.js';

/** The SQLSTATE of a write to a server that is read-only: a standby, or a demoted primary. */
export const READ_ONLY = '25006';

/** The SQLSTATE of a statement that has run for longer than `statement_timeout`. */
const QUERY_CANCELED = '57014';

/** The SQLSTATEs, or their classes, of a server that is unavailable, full, too slow or read-only, or whose disk fails. */
const SQLSTATES = ['08', '28', '3D', '40001', '40P01', '53', '55P03', '57', '58030', '25P03', '25P04'];

/** The SQLSTATE with which Citus reports that a node has ended, in the words of libpq or its own. It has other uses, too. */
const INTERNAL_ERROR = 'XX000';
const LOST_NODE =
  /^(?:postmaster was shut down|server closed the connection|SSL |could not (?:receive data from|send data to) server|no connection to the server|could not commit transaction|failure on connection)/;

/** The messages of pg about a statement that it cannot send. Its other errors without an SQLSTATE are those of connections. */
const NOT_SENT = /^(?:Prepared statements must be unique|A query must have|Query values must be)/;

/** Returns whether a statement took too long: the server has ended it, or this process has closed the connection. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === QUERY_CANCELED) || error.message === 'Connection terminated';
}

/**
 * Returns whether an error means that its connection, and all that are as old, can no longer be used: the server is
 * read-only, or the columns of a prepared statement have other types than before.
 */
export function isConnectionOutdated(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === READ_ONLY || error.routine === 'RevalidateCachedQuery';
}

/** The errors of the database. Other servers, such as those that a team calls, fail with the same codes and messages. */
const errorsOfDatabase = new WeakSet<Error>();

/** Records and returns an error of the database. */
export function recordError<Thrown>(error: Thrown): Thrown {
  if (error instanceof Error) errorsOfDatabase.add(error);
  return error;
}

/** Returns whether an error means that the database is unavailable, rather than another server, or a statement invalid. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof QueryFailedError) return isDatabaseUnavailable(error.driverError);
  // TypeORM releases a lost connection, and has none after the stop.
  if (error instanceof TypeORMError) {
    return error instanceof QueryRunnerAlreadyReleasedError || error.message === 'Driver not Connected';
  }
  if (error instanceof Unavailable) return true;
  if (!(error instanceof Error) || !errorsOfDatabase.has(error)) return false;
  if (!(error instanceof pg.DatabaseError)) {
    // pg cannot write a parameter, or a parser cannot read a value.
    const isOfProgram = [TypeError, RangeError, SyntaxError].some((type) => error instanceof type);
    return !isOfProgram && !NOT_SENT.test(error.message);
  }
  if (error.code === INTERNAL_ERROR) return LOST_NODE.test(error.message);
  return isConnectionOutdated(error) || SQLSTATES.some((prefix) => error.code?.startsWith(prefix));
}
