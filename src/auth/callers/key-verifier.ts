import type { Caller } from './caller.decorator.js';

/**
 * Verifies the keys of requests, which are bearer tokens.
 *
 * @typeParam C the type of the caller, which a team can extend. Handlers inject the caller with `@CurrentCaller()`
 */
export abstract class KeyVerifier<C extends Caller = Caller> {
  /** The name of the bearer token in error messages, in the document and on the pages. */
  readonly credential: string = 'token';

  /** Describes how to get a key, in Markdown. `{root}` stands for the address of the service. */
  abstract readonly description: string;

  /** Returns the caller of a key, or undefined if the key is not active. The result is cached for up to 4 seconds. */
  abstract findCaller(key: string): Promise<C | undefined>;
}
