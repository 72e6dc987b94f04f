import { loadFetchOnDemand } from './fetch-on-demand.js';

loadFetchOnDemand();
// What is imported at the top of a file is loaded before anything in it runs, so these are imported here. The first one
// has Nest loaded before TypeORM: the other way round, a list was measured to take an eighth longer.
const { serve } = await import('./serve.js');
const { readConfig } = await import('./config.js');
const { exitWith } = await import('./failed-start.js');

try {
  await serve(readConfig(process.env));
} catch (error) {
  exitWith(error);
}
