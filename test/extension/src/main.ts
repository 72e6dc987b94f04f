import { exitWith, readConfig, serve } from 'petstore';

import { composition } from './composition.js';

try {
  await serve(readConfig(process.env), composition);
} catch (error) {
  exitWith(error);
}
