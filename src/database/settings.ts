import type { Config } from '../config/config.js';

/** A single PostgreSQL, or the embedded database. */
export const POSTGRESQL = 'PostgreSQL';

/** PostgreSQL with the extension Citus, which distributes the rows of a table over several servers. */
export const CITUS = 'PostgreSQL with Citus';

/** The kind of database server, as operators call it. */
export type Engine = typeof POSTGRESQL | typeof CITUS;

/**
 * Returns the planner's settings of every session. Generic plans do not depend on the values of parameters, so production
 * uses the tested ones; Citus does not support them. Their estimated cost is too high, which would trigger JIT compilation
 * that takes longer than the statement.
 */
export function planningOf(engine: Engine): Record<string, string> {
  const planCacheMode = engine === CITUS ? 'force_custom_plan' : 'force_generic_plan';
  return { plan_cache_mode: planCacheMode, jit: 'off' };
}

/**
 * The formats of times that pg can read, and the isolation of transactions on which the locks of the service rely. A
 * database or a role may have others.
 */
export const SESSION_SETTINGS = {
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  default_transaction_isolation: 'read committed',
};

/** Returns the timeouts of a session on a server in milliseconds, by PostgreSQL's names. */
export function timeoutsOf(config: Config) {
  return {
    statement_timeout: config.databaseQueryTimeoutMs,
    lock_timeout: config.databaseLockTimeoutMs,
    idle_in_transaction_session_timeout: config.databaseIdleTransactionTimeoutMs,
  };
}
