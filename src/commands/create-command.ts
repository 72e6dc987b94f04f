import { Command } from 'commander';

import { printable } from './printable.js';

/** Creates a command whose error messages, which quote its arguments, have no control characters but line feeds. */
export function createCommand(name: string): Command {
  return new Command(name).configureOutput({
    outputError: (text, write) => write(text.split('\n').map(printable).join('\n')),
  });
}
