import type { Config } from '../../config/config.js';
import type { Engine } from '../engine.js';

/** Returns the timeouts of every session in milliseconds, by PostgreSQL's names. */
export function timeoutsOf(config: Config) {
  return {
    statement_timeout: config.databaseQueryTimeoutMs,
    lock_timeout: config.databaseLockTimeoutMs,
    idle_in_transaction_session_timeout: config.databaseIdleTransactionTimeoutMs,
  };
}

/**
 * The planner's settings of every session. The estimated cost of generic plans is too high, which would trigger JIT
 * compilation that takes longer than the statement.
 */
export function planningOf({ planCacheMode }: Engine): Record<string, string> {
  return { plan_cache_mode: planCacheMode, jit: 'off' };
}
