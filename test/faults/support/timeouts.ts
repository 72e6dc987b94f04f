const CONNECT_TIMEOUT_MS = 1000;
const QUERY_TIMEOUT_MS = 1000;

/** The timeouts of the service in most scenarios: shorter than by default, so that a scenario is. */
export const TIMEOUTS = {
  DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_TIMEOUT_MS),
  DATABASE_QUERY_TIMEOUT_MS: String(QUERY_TIMEOUT_MS),
};

/** What a server that does not answer at all is given beyond the time of a query. */
const GRACE_MS = 500;

/**
 * How long a request can take at most: it looks up its key, waits for the statement that others
 * share, and runs its own; each gets a connection, and then an answer. The last part is for the machine.
 */
export const ANSWER_WITHIN_MS = 3 * (CONNECT_TIMEOUT_MS + QUERY_TIMEOUT_MS + GRACE_MS) + 2000;
