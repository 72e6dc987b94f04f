import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { onTestFinished } from 'vitest';

/** How a command ended, and what it wrote. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program, in the project's folder, with nothing in its environment but PATH and what is given. */
export async function runCommand(
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  stdin: string | Uint8Array = '',
): Promise<Outcome> {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'], ...environment } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
  // A command that does not read its stdin may end before all of it is written.
  child.stdin.on('error', () => undefined).end(stdin);
  [outcome.code] = (await once(child, 'close')) as [number | null];
  return outcome;
}
