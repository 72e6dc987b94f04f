import { serve } from './app.setup.js';
import { exitWith } from './commands/exit-with-error.js';
import { readConfig } from './config/config.js';

try {
  await serve(readConfig(process.env));
} catch (error) {
  exitWith(error);
}
