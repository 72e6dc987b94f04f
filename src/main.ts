// First, so that Nest is loaded before TypeORM. The other way round, a list was measured to take an eighth longer.
import { serve } from './serve.js';

import { readConfig } from './config.js';
import { exitWith } from './failed-start.js';

try {
  await serve(readConfig(process.env));
} catch (error) {
  exitWith(error);
}
