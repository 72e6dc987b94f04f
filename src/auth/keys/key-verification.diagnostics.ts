import { channel } from 'node:diagnostics_channel';

/** A key that was looked at: in the memory of this process, or by the verifier. */
export interface Verification {
  readonly source: 'cache' | 'verifier';
}

/** What goes on with the keys, for whoever watches it. While nobody does, it costs a look at a flag. */
export const VERIFICATIONS = channel('petstore.key');

/** Tells the watchers of a look at a key. */
export function noteVerification(source: Verification['source']): void {
  if (VERIFICATIONS.hasSubscribers) VERIFICATIONS.publish({ source } satisfies Verification);
}
