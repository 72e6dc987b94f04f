import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { onTestFinished, vi } from 'vitest';

import { BASE_ENVIRONMENT } from './command.ts';

/** The exit code or signal of a process, and its output. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process of the service, started like `npm run start:prod`. */
export interface ServiceProcess {
  pid: number;
  /** Returns the output so far. */
  stdout: () => string;
  stderr: () => string;
  signal: (signal: NodeJS.Signals) => void;
  /** Resolves when the process has ended. */
  exit: Promise<Exit>;
}

/** A process of the service that accepts requests. */
export interface ListeningProcess extends ServiceProcess {
  /** The origin of the service. */
  url: string;
  /** Sends a signal, by default SIGTERM, and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<Exit>;
}

export const MAIN = 'dist/src/main.js';

/** The arguments of Node with which a process lists on stderr the modules of OpenTelemetry that it loads, except for the API. */
export const LIST_MODULES = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      if (/@opentelemetry\\/(?!api\\/)|in-the-middle/.test(url)) process.stderr.write(url);
      return next(url, context);
    } });`)}`,
];

/**
 * Starts the service in a process. Its environment has only the base and the given variables. The process is killed at
 * the end of the running test, or when the function calls the listener that it passes to `atEnd`.
 */
export function spawnService(
  environment: NodeJS.ProcessEnv,
  argv: string[] = [MAIN],
  program = process.execPath,
  atEnd: (kill: () => Promise<void>) => void = onTestFinished,
): ServiceProcess {
  const child = spawn(program, argv, {
    env: { ...BASE_ENVIRONMENT, PORT: '0', ...environment },
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

/** Starts the service, or another server program, in a process, and waits until it accepts requests. */
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
  // The rejection of the other promise does not matter any more.
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

/** Starts the service in a process whose start fails, and waits for its end. */
export function failToStart(environment: NodeJS.ProcessEnv): Promise<Exit> {
  return spawnService(environment).exit;
}
