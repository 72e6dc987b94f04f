import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { BASE_ENVIRONMENT, type Outcome, runCommand, spawnCommand, type SpawnedCommand } from './command.ts';
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

/** Runs commands, each of which ends with a NUL and its exit code on stdout, and with a NUL on stderr. */
const RUN_EACH = `
  import { EventEmitter } from 'node:events';
  import { AppModule } from './dist/src/app.module.js';
  import { describe } from './dist/src/commands/exit-with-error.js';
  import { toPrintable } from './dist/src/commands/output.js';
  import { petstoreCommand } from './dist/src/commands/petstore.command.js';
  // Each command adds listeners to the process.
  EventEmitter.defaultMaxListeners = Infinity;
  for (const args of JSON.parse(process.argv[1])) {
    process.exitCode = undefined;
    await petstoreCommand(AppModule).parseAsync(args, { from: 'user' }).catch((error) => {
      process.stderr.write(toPrintable('petstore: ' + describe(error)) + '\\n');
      process.exitCode = 1;
    });
    process.stdout.write('\\0' + (process.exitCode ?? 0) + '\\n');
    process.stderr.write('\\0');
  }
  process.exitCode = 0;`;

/** Runs operator's commands one after the other in one process, because each start takes more than a second. */
export async function petstoreEach(
  environment: NodeJS.ProcessEnv,
  commands: readonly string[][],
): Promise<Outcome[]> {
  const args = ['--input-type=module', '--eval', RUN_EACH, JSON.stringify(commands)];
  const env = { ...BASE_ENVIRONMENT, ...environment };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  const errors = stderr.split('\0');
  return [...stdout.matchAll(/([^\0]*)\0(\d+)\n/g)].map(([, text = '', code], index) => ({
    code: Number(code),
    stdout: text,
    stderr: errors[index] ?? '',
  }));
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
