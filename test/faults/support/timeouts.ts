const CONNECT_TIMEOUT_MS = 1000;
const QUERY_TIMEOUT_MS = 1000;

/**
 * The timeouts of the service in most scenarios. They are shorter than the defaults, so that the scenarios are, too.
 */
export const TIMEOUTS = {
  DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_TIMEOUT_MS),
  DATABASE_QUERY_TIMEOUT_MS: String(QUERY_TIMEOUT_MS),
};

/** The additional wait for a server that does not respond. */
const GRACE_MS = 500;

/**
 * The maximum duration of a request: it verifies its key, waits for another batch, and runs its own statement. Each of
 * them waits for a connection and a response. The rest is for a slow or busy machine.
 */
export const ANSWER_WITHIN_MS = 3 * (CONNECT_TIMEOUT_MS + QUERY_TIMEOUT_MS + GRACE_MS) + 5000;
