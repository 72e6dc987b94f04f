import { BOUNDED } from './bounded.ts';
import { BROKEN_HTTP } from './broken.ts';
import { CREDENTIALS } from './credentials.ts';
import { DOCUMENTED } from './document.ts';
import { ENCODED } from './encodings.ts';
import type { Family } from './family.ts';
import { INJECTED } from './injection.ts';
import { PATHS } from './paths.ts';
import { TEXTS } from './text.ts';
import { VALUES } from './values.ts';

/** All families of hostile requests, after the fuzzers of CATS and the checkers of RESTler. */
export const FAMILIES: readonly Family[] = [
  ...VALUES,
  ...TEXTS,
  ...ENCODED,
  ...INJECTED,
  ...PATHS,
  CREDENTIALS,
  BROKEN_HTTP,
  ...DOCUMENTED,
  ...BOUNDED,
];
