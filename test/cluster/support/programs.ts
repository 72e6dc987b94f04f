import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { findBinaries, unprivilegedUser } from '../../support/postgres.ts';

const PROGRAMS = ['etcd', 'patroni', 'haproxy'];

/** @throws Error that names the missing programs */
export function assertInstalled(): void {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const missing = PROGRAMS.filter(
    (program) => !path.some((directory) => existsSync(join(directory, program))),
  );
  if (missing.length === 0 && findBinaries() !== '') return;
  throw new Error(
    `${missing.join(', ')} not found. On Debian: ` +
      'apt-get install --no-install-recommends postgresql etcd-server patroni python3-etcd haproxy',
  );
}

/** The user that runs the cluster, and the directory of PostgreSQL. */
export const user = unprivilegedUser();

/** A process that logs to a file. */
export interface Program {
  pid: number;
  /** Kills the process, and waits for its end. */
  kill(): Promise<void>;
}

/** Starts a program in a separate directory, as the user of the cluster. */
export function startProgram(program: string, args: string[], directory: string): Program {
  const log = openSync(join(directory, `${program}.log`), 'a');
  const child = spawn(program, args, {
    ...user,
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    pid: child.pid ?? 0,
    kill: async () => {
      process.off('exit', kill);
      kill();
      await exited.catch(() => undefined);
    },
  };
}
