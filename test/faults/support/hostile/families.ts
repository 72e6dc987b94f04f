import type fc from 'fast-check';

import { BOUNDED } from './bounded.ts';
import { BROKEN_HTTP } from './broken.ts';
import type { HostileRequest } from './request.ts';
import { TARGETS } from './targets.ts';
import { VALUES } from './values.ts';

/** A family of hostile requests. */
export interface Family {
  name: string;
  /** @param key a valid key */
  requests: (key: string) => fc.Arbitrary<HostileRequest>;
  /** Whether a request takes much longer than others, so that fewer of them are sent. */
  costly?: boolean;
}

/**
 * All families of hostile requests, after the fuzzers of CATS and the checkers of RESTler. `generated-requests`, `fields`,
 * `test/http` and `test/auth` hold what each single value, encoding and credential gets: these requests come at the same
 * time.
 */
export const FAMILIES: readonly Family[] = [VALUES, ...TARGETS, BROKEN_HTTP, ...BOUNDED];
