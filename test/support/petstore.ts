import { fileURLToPath } from 'node:url';

import { type Outcome, runCommand } from './command.ts';

const CLI = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));

/** Runs an operator's command with nothing in its environment but PATH and what is given. */
export function petstore(
  environment: NodeJS.ProcessEnv,
  args: string[],
  stdin: string | Uint8Array = '',
): Promise<Outcome> {
  return runCommand(process.execPath, [CLI, ...args], environment, stdin);
}

/** Runs an operator's command with a terminal as its stdout and stderr. */
export function petstoreOnTerminal(environment: NodeJS.ProcessEnv, args: string[]): Promise<Outcome> {
  const command = [process.execPath, CLI, ...args].map((part) => `'${part}'`).join(' ');
  return runCommand('script', ['--quiet', '--return', '--command', command, '/dev/null'], environment);
}
