import type fc from 'fast-check';

import type { Operation } from './document.ts';
import type { HostileRequest } from './request.ts';

/** The attacked service: a valid key and the published documents. */
export interface Target {
  url: string;
  key: string;
  operations: readonly Operation[];
}

/** A family of hostile requests. */
export interface Family {
  name: string;
  requests: (target: Target) => fc.Arbitrary<HostileRequest>;
  /** Whether a request takes much longer than others, so that fewer of them are sent. */
  costly?: boolean;
}
