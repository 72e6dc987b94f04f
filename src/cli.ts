import { petstoreCommand } from './commands/petstore.command.js';
import { exitWith } from './commands/exit-with-error.js';

try {
  await petstoreCommand().parseAsync();
} catch (error) {
  exitWith(error);
}
