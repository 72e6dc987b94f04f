import type { Config } from '../config/config.js';
import { timeoutsOf } from './pool/timeouts.js';

/** How statements are sent. */
export interface Sending {
  /** How long a server may not answer at all, before its connection is given up. */
  readonly answerTimeoutMs: number;
  /** Whether statements are prepared under their names, which a pooler between may not keep. */
  readonly isPrepared: boolean;
  /** What begins a transaction. */
  readonly begin: string;
}

/** How statements are sent to servers that the configuration names. */
export function sendingOf(config: Config, answerTimeoutMs: number): Sending {
  if (config.pooler === undefined) return { answerTimeoutMs, isPrepared: true, begin: 'BEGIN' };
  // There is no session of one's own to have set the timeouts in.
  const timeouts = Object.entries(timeoutsOf(config)).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  return { answerTimeoutMs, isPrepared: false, begin: ['BEGIN', ...timeouts].join('; ') };
}
