import type { Caller } from '../caller.decorator.js';

/**
 * Verifies bearer keys.
 *
 * @typeParam C the caller, with what the team adds. Handlers inject it with `@CurrentCaller()`
 */
export abstract class KeyVerifier<C extends Caller = Caller> {
  /**
   * What the published document says of the keys, in Markdown: what they are, and where to get them. `{root}` stands for
   * the address of the service.
   */
  abstract readonly description: string;

  /**
   * The caller whose key it is; undefined when it is none that is in force. What it tells holds for all
   * requests with that key for up to 5 seconds, so it is asked about a key in use every other second.
   */
  abstract findCaller(key: string): Promise<C | undefined>;
}
