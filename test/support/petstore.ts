import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { vi } from 'vitest';

import { BASE_ENVIRONMENT, type Outcome, runCommand, spawnCommand, type SpawnedCommand } from './command.ts';

const CLI = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));

/** Runs an operator's command in a separate process. Its environment has only PATH and the given variables. */
export function petstoreProcess(
  environment: NodeJS.ProcessEnv,
  args: string[],
  stdin: string | Uint8Array = '',
): Promise<Outcome> {
  return runCommand(process.execPath, [CLI, ...args], environment, stdin);
}

/**
 * Runs the commands in each line of stdin. A command ends with a NUL and its exit code on stdout, and with a NUL on
 * stderr.
 */
const RUNNER = `
  import { EventEmitter } from 'node:events';
  import { createInterface } from 'node:readline';
  import { AppModule } from './dist/src/app.module.js';
  import { describe } from './dist/src/commands/exit-with-error.js';
  import { toPrintable } from './dist/src/commands/output.js';
  import { petstoreCommand } from './dist/src/commands/petstore.command.js';
  // Each command adds listeners to the process.
  EventEmitter.defaultMaxListeners = Infinity;
  for await (const line of createInterface(process.stdin)) {
    const { environment, commands } = JSON.parse(line);
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, environment);
    for (const args of commands) {
      process.exitCode = undefined;
      await petstoreCommand(AppModule).parseAsync(args, { from: 'user' }).catch((error) => {
        process.stderr.write(toPrintable('petstore: ' + describe(error)) + '\\n');
        process.exitCode = 1;
      });
      process.stdout.write('\\0' + (process.exitCode ?? 0) + '\\n');
      process.stderr.write('\\0');
    }
  }`;

function startRunner() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', RUNNER], { env: BASE_ENVIRONMENT });
  process.once('exit', () => child.kill('SIGKILL'));
  // The exit of the process is the error that counts.
  child.stdin.on('error', () => undefined);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  return { child, output };
}

let runner: ReturnType<typeof startRunner> | undefined;

/**
 * Runs operator's commands one after the other in one process of this worker: each start takes a second of CPU. After a
 * failure, the next call starts another process.
 */
export async function petstoreEach(
  environment: NodeJS.ProcessEnv,
  commands: readonly string[][],
): Promise<Outcome[]> {
  const { child, output } = (runner ??= startRunner());
  const variables = { ...BASE_ENVIRONMENT, ...environment };
  child.stdin.write(`${JSON.stringify({ environment: variables, commands })}\n`);
  const isComplete = () => {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`the commands ended with ${end}: ${output.stderr}`);
    const ends = [output.stdout.match(/\0\d+\n/g), output.stderr.match(/\0/g)];
    return ends.every((found) => found?.length === commands.length);
  };
  await vi.waitUntil(isComplete, { timeout: 50_000, interval: 5 }).catch((error: unknown) => {
    child.kill('SIGKILL');
    runner = undefined;
    throw error;
  });
  const errors = output.stderr.split('\0');
  const outcomes = [...output.stdout.matchAll(/([^\0]*)\0(\d+)\n/g)].map(([, stdout = '', code], index) => ({
    code: Number(code),
    stdout,
    stderr: errors[index] ?? '',
  }));
  Object.assign(output, { stdout: '', stderr: '' });
  return outcomes;
}

/** Runs an operator's command like {@link petstoreEach}. */
export async function petstore(environment: NodeJS.ProcessEnv, args: string[]): Promise<Outcome> {
  const [outcome] = await petstoreEach(environment, [args]);
  if (!outcome) throw new Error('the command has no outcome');
  return outcome;
}

/** Returns the rows that a command has printed. */
export function rowsOf(outcome: Outcome | undefined): unknown[] {
  const lines = outcome?.stdout.split('\n') ?? [];
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
}

/** Runs an operator's command to which the modes of files apply. They do not apply to root with all its capabilities. */
export function petstoreUnprivileged(environment: NodeJS.ProcessEnv, args: string[]): Promise<Outcome> {
  const command = [process.execPath, CLI, ...args];
  return process.getuid?.() === 0
    ? runCommand(
        'setpriv',
        ['--bounding-set=-dac_override,-dac_read_search,-fowner', ...command],
        environment,
      )
    : runCommand(process.execPath, command.slice(1), environment);
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
