import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs the command in the arguments of this process with additional variables, and exits with its code. */
export async function runArguments(environment: Record<string, string>): Promise<void> {
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined) throw new Error(`usage: ${process.argv[1] ?? ''} COMMAND [ARGUMENT …]`);
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}
