import type { Config } from '../../config/config.js';

/** Returns the timeouts of every session in milliseconds, by PostgreSQL's names. */
export function timeoutsOf(config: Config) {
  return {
    statement_timeout: config.queryTimeoutMs,
    lock_timeout: config.lockTimeoutMs,
    idle_in_transaction_session_timeout: config.idleTransactionTimeoutMs,
  };
}
