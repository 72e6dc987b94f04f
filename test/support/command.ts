import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';

import { onTestFinished } from 'vitest';

/** How a command ended, and what it wrote. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that runs. */
export interface SpawnedCommand {
  stdin: Writable;
  /** What it has written to stderr so far. */
  stderr: () => string;
  kill: (signal: NodeJS.Signals) => void;
  /** Resolves when it has ended. */
  exit: Promise<Outcome>;
}

/** Starts a program, in the project's folder, with nothing in its environment but PATH and what is given. */
export function spawnCommand(
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  options: { uid?: number; gid?: number; cwd?: string } = {},
): SpawnedCommand {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'], ...environment }, ...options });
  onTestFinished(() => void child.kill('SIGKILL'));
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
  // A command that does not read its stdin may end before all of it is written.
  child.stdin.on('error', () => undefined);
  const exit = once(child, 'close').then(([code]) => ({ ...outcome, code: code as number | null }));
  return {
    stdin: child.stdin,
    stderr: () => outcome.stderr,
    kill: (signal) => void child.kill(signal),
    exit,
  };
}

/** Runs a program as {@link spawnCommand} does, to its end. */
export function runCommand(
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  stdin: string | Uint8Array = '',
  options: { uid?: number; gid?: number; cwd?: string } = {},
): Promise<Outcome> {
  const command = spawnCommand(program, args, environment, options);
  command.stdin.end(stdin);
  return command.exit;
}
