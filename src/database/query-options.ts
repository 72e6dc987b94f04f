import type { Config } from '../config/config.js';
import { timeoutsOf } from './pool/timeouts.js';

/** How a session sends its statements. */
export interface QueryOptions {
  /** How long a server may stay silent. After that, the statement fails and its connection is closed. */
  readonly queryTimeoutMs: number;
  /** Whether statements are prepared under their names. A transaction pooler may not keep prepared statements. */
  readonly usePreparedStatements: boolean;
  /** The SQL that a transaction begins with; undefined where the session has the settings already. */
  readonly transactionSettings: string | undefined;
}

/** The options for the servers that the configuration names. */
export function queryOptions(config: Config, queryTimeoutMs: number): QueryOptions {
  if (config.pooler === undefined) {
    return { queryTimeoutMs, usePreparedStatements: true, transactionSettings: undefined };
  }
  // Behind a transaction pooler, a setting of the session would reach other clients: only SET LOCAL is safe.
  const settings = Object.entries(timeoutsOf(config)).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  return { queryTimeoutMs, usePreparedStatements: false, transactionSettings: settings.join('; ') };
}
