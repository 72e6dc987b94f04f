import { loadFetchOnDemand } from './fetch-on-demand.js';

loadFetchOnDemand();
// First, so that Nest is loaded before TypeORM. The other way round, a list was measured to take an eighth longer.
const { serve } = await import('./serve.js');
const { readConfig } = await import('./config.js');
const { exitWith } = await import('./failed-start.js');

try {
  await serve(readConfig(process.env));
} catch (error) {
  exitWith(error);
}
