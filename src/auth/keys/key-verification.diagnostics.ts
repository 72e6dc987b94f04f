import { channel } from 'node:diagnostics_channel';

/** A key was verified, by the cache of this process or by the verifier. */
export interface Verification {
  readonly source: 'cache' | 'verifier';
}

/** The diagnostics channel of verifications. */
export const VERIFICATIONS = channel('petstore.key');

/** Publishes a verification. */
export function recordVerification(source: Verification['source']): void {
  if (VERIFICATIONS.hasSubscribers) VERIFICATIONS.publish({ source } satisfies Verification);
}
