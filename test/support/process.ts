import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { onTestFinished, vi } from 'vitest';

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process of the service, as `npm run start:prod` starts it. */
export interface ServiceProcess {
  pid: number;
  /** What it has written so far. */
  stdout: () => string;
  stderr: () => string;
  signal: (signal: NodeJS.Signals) => void;
  /** Resolves when it has ended. */
  exit: Promise<Exit>;
}

/** A process of the service that takes requests. */
export interface ListeningProcess extends ServiceProcess {
  /** Where it listens, without a path. */
  url: string;
  /** Sends a signal, SIGTERM unless told otherwise, and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<Exit>;
}

const MAIN = 'dist/src/main.js';

/**
 * Starts the service in a process of its own, with nothing in its environment but PATH and what is
 * given. It is killed at the end of the running test, or whenever `atEnd` is told to do it, whatever happens.
 */
export function spawnService(
  environment: NodeJS.ProcessEnv,
  argv: string[] = [MAIN],
  program = process.execPath,
  atEnd: (kill: () => Promise<void>) => void = onTestFinished,
): ServiceProcess {
  const child = spawn(program, argv, {
    env: { PATH: process.env['PATH'], PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (written[name] += text));
  }
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const exit = once(child, 'close').then(() => {
    process.off('exit', kill);
    return { code: child.exitCode, signal: child.signalCode, ...written };
  });
  atEnd(async () => {
    kill();
    await exit;
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    signal: (signal) => void child.kill(signal),
    exit,
  };
}

/** Starts the service, or another program that serves, in a process of its own and waits until it takes requests. */
export async function startServiceProcess(
  environment: NodeJS.ProcessEnv,
  atEnd?: (kill: () => Promise<void>) => void,
  argv?: string[],
): Promise<ListeningProcess> {
  const service = spawnService(environment, argv, undefined, atEnd);
  const listening = vi.waitFor(
    () => {
      const [, url] = /Listening on (http:\S+),/.exec(service.stdout()) ?? [];
      if (url === undefined) throw new Error('not listening yet');
      return url;
    },
    { timeout: 50_000, interval: 10 },
  );
  const ended = service.exit.then(({ stderr }) => {
    throw new Error(`the service did not start: ${stderr}`);
  });
  // Whichever comes second is of no interest any more.
  for (const outcome of [listening, ended]) outcome.catch(() => undefined);
  return {
    ...service,
    url: await Promise.race([listening, ended]),
    stop: (signal = 'SIGTERM') => {
      service.signal(signal);
      return service.exit;
    },
  };
}

/** Starts the service in a process of its own and waits for its end: a start that is to fail. */
export function failToStart(environment: NodeJS.ProcessEnv): Promise<Exit> {
  return spawnService(environment).exit;
}
