import { readConfig } from './config.js';
import { exitWith } from './failed-start.js';
import { serve } from './serve.js';

try {
  await serve(readConfig(process.env));
} catch (error) {
  exitWith(error);
}
