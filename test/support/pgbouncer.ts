import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { freePort, type Postgres, unprivilegedUser, untilReady } from './postgres.ts';

/** A PgBouncer in front of a PostgreSQL, on a free port of 127.0.0.1. */
export interface PgBouncer {
  url: string;
  /** Stops PgBouncer and removes its directory. */
  remove(): Promise<void>;
}

/** Starts the PgBouncer in PATH in transaction mode. */
export async function startPgBouncer(postgres: Postgres): Promise<PgBouncer> {
  const user = unprivilegedUser();
  const directory = mkdtempSync(join(tmpdir(), 'petstore-pgbouncer-'));
  const [port, file] = [await freePort(), join(directory, 'pgbouncer.ini')];
  const configuration = [
    '[databases]',
    `* = host=127.0.0.1 port=${new URL(postgres.url).port} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'max_client_conn = 1000',
    'default_pool_size = 10',
    'server_idle_timeout = 10',
  ];
  writeFileSync(file, configuration.map((line) => `${line}\n`).join(''));
  if (user) for (const path of [directory, file]) chownSync(path, user.uid, user.gid);
  const server = spawn('pgbouncer', ['--quiet', file], { stdio: 'ignore', cwd: directory, ...user });
  const exited = once(server, 'exit');
  exited.catch(() => undefined);
  const kill = () => void server.kill('SIGKILL');
  process.once('exit', kill);
  const remove = async () => {
    process.off('exit', kill);
    kill();
    await exited.catch(() => undefined);
    rmSync(directory, { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  try {
    await Promise.race([untilReady(url), exited.then(() => Promise.reject(new Error('PgBouncer ended')))]);
    return { url, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Whether {@link startPgBouncer} works on this machine. */
export function pgBouncerIsInstalled(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((path) => existsSync(join(path, 'pgbouncer')));
}
