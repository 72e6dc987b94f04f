import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));

/** How a command ended, and what it wrote. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs an operator's command with nothing in its environment but PATH and what is given. */
export function petstore(
  environment: NodeJS.ProcessEnv,
  args: string[],
  stdin: string | Uint8Array = '',
): Promise<Outcome> {
  return run(process.execPath, [CLI, ...args], environment, stdin);
}

/** Runs an operator's command with a terminal as its stdout and stderr. */
export function petstoreOnTerminal(environment: NodeJS.ProcessEnv, args: string[]): Promise<Outcome> {
  const command = [process.execPath, CLI, ...args].map((part) => `'${part}'`).join(' ');
  return run('script', ['--quiet', '--return', '--command', command, '/dev/null'], environment, '');
}

async function run(
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv,
  stdin: string | Uint8Array,
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
