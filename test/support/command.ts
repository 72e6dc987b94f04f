import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';

import { onTestFinished } from 'vitest';

/** The exit code and the output of a command. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A running command. */
export interface SpawnedCommand {
  stdin: Writable;
  /** Returns the output on stderr so far. */
  stderr: () => string;
  kill: (signal: NodeJS.Signals) => void;
  /** Resolves when the command has ended. */
  exit: Promise<Outcome>;
}

/**
 * The variables of every process that the tests start. With its compile cache, Node starts faster. The workers do not
 * share it: their flags of V8 differ, so that each would replace the files of the others.
 */
export const BASE_ENVIRONMENT = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled'),
};

/** Starts a program in the project's folder. Its environment has only the base and the given variables. */
export function spawnCommand(
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  options: { cwd?: string } = {},
): SpawnedCommand {
  const child = spawn(program, args, { env: { ...BASE_ENVIRONMENT, ...environment }, ...options });
  onTestFinished(() => void child.kill('SIGKILL'));
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
  // A command that does not read stdin may end before all of it is written.
  child.stdin.on('error', () => undefined);
  const exit = once(child, 'close').then(([code]) => ({ ...outcome, code: code as number | null }));
  return {
    stdin: child.stdin,
    stderr: () => outcome.stderr,
    kill: (signal) => void child.kill(signal),
    exit,
  };
}

/** Runs a program like {@link spawnCommand}, and waits for its end. */
export function runCommand(
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  stdin: string | Uint8Array = '',
  options: { cwd?: string } = {},
): Promise<Outcome> {
  const command = spawnCommand(program, args, environment, options);
  command.stdin.end(stdin);
  return command.exit;
}
