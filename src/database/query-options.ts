import type { Config } from '../config/config.js';
import { timeoutsOf } from './pool/session-settings.js';

/** Options for the statements of a session. */
export interface QueryOptions {
  /** The timeout of a response of the server. After it, the statement fails and its connection is closed. */
  readonly queryTimeoutMs: number;
  /** Whether statements are prepared. Poolers in transaction mode may not support prepared statements. */
  readonly usePreparedStatements: boolean;
  /** The SQL that begins each transaction. Undefined if the settings belong to the session. */
  readonly transactionSettings: string | undefined;
}

/** Returns the options for the configured servers. */
export function queryOptions(config: Config, queryTimeoutMs: number): QueryOptions {
  if (config.pooler === undefined) {
    return { queryTimeoutMs, usePreparedStatements: true, transactionSettings: undefined };
  }
  // Behind a pooler in transaction mode, a setting of the session would affect other clients. SET LOCAL does not.
  const settings = Object.entries(timeoutsOf(config)).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  return { queryTimeoutMs, usePreparedStatements: false, transactionSettings: settings.join('; ') };
}
