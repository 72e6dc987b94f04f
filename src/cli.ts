import { AppModule } from './app.module.js';
import { exitWith } from './commands/exit-with-error.js';
import { petstoreCommand } from './commands/petstore.command.js';

try {
  await petstoreCommand(AppModule).parseAsync();
} catch (error) {
  exitWith(error);
}
