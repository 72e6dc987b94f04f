import type fc from 'fast-check';

import type { Operation } from './document.ts';
import type { HostileRequest } from './request.ts';

/** What is known of the service that is attacked: a key that is valid, and what it publishes. */
export interface Target {
  url: string;
  key: string;
  operations: readonly Operation[];
}

/** Requests of one kind of malice. */
export interface Family {
  name: string;
  requests: (target: Target) => fc.Arbitrary<HostileRequest>;
  /** Whether a single one takes as long as many others, so that there are fewer of them. */
  costly?: boolean;
}
