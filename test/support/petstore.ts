import { fileURLToPath } from 'node:url';

import { type Outcome, runCommand, spawnCommand, type SpawnedCommand } from './command.ts';
import { unprivilegedUser } from './postgres.ts';

const CLI = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));

/** Runs an operator's command. Its environment has only PATH and the given variables. */
export function petstore(
  environment: NodeJS.ProcessEnv,
  args: string[],
  stdin: string | Uint8Array = '',
): Promise<Outcome> {
  return runCommand(process.execPath, [CLI, ...args], environment, stdin);
}

/** Runs an operator's command as a user without write access to the project. */
export function petstoreUnprivileged(environment: NodeJS.ProcessEnv, args: string[]): Promise<Outcome> {
  return runCommand(process.execPath, [CLI, ...args], environment, '', unprivilegedUser());
}

/** Starts an operator's command with an open stdin. */
export function spawnPetstore(environment: NodeJS.ProcessEnv, args: string[]): SpawnedCommand {
  return spawnCommand(process.execPath, [CLI, ...args], environment);
}

/** Runs a bash script in which `"$@"` is an operator's command. */
export function petstoreInShell(
  environment: NodeJS.ProcessEnv,
  script: string,
  args: string[],
  stdin: string | Uint8Array = '',
): Promise<Outcome> {
  return runCommand(
    'bash',
    ['--norc', '-c', script, 'bash', process.execPath, CLI, ...args],
    environment,
    stdin,
  );
}
