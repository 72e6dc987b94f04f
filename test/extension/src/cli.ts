import { exitWith, petstoreCommand } from 'petstore';

import { composition } from './composition.js';

try {
  await petstoreCommand(composition).parseAsync();
} catch (error) {
  exitWith(error);
}
