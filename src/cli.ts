import { petstoreCommand } from './commands/petstore.command.js';
import { exitWith } from './failed-start.js';

try {
  await petstoreCommand().parseAsync();
} catch (error) {
  exitWith(error);
}
