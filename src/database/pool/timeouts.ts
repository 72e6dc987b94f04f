import type { Config } from '../../config/config.js';

/** How long the server shall wait and work in every session, in milliseconds, by PostgreSQL's names. */
export function timeoutsOf(config: Config) {
  return {
    statement_timeout: config.queryTimeoutMs,
    lock_timeout: config.lockTimeoutMs,
    idle_in_transaction_session_timeout: config.idleTransactionTimeoutMs,
  };
}
