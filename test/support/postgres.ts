import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import pg from 'pg';

/** A PostgreSQL server in a temporary directory, on a free port of 127.0.0.1. */
export interface Postgres {
  url: string;
  dataDirectory: string;
  /** The process id of the postmaster. */
  pid(): number;
  /** Stops the server as `pg_ctl stop -m` does. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Promotes a standby as `pg_ctl promote` does. */
  promote(): Promise<void>;
  /** Starts the server again, on the same port and data. */
  start(): Promise<void>;
  /** Stops the server and removes its directory. */
  remove(): Promise<void>;
}

/**
 * Starts a PostgreSQL server with the machine's binaries. The server refuses to run as root, so root runs it as the
 * user `postgres` of Debian's package, or as `nobody`.
 *
 * @param settings lines of postgresql.conf, such as `fsync = off`
 */
export function startPostgres(settings: string[] = []): Promise<Postgres> {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  return startOn((directory) => ['initdb', `--pgdata=${directory}`, ...options], settings);
}

/** Starts a standby of a server. It is read-only until it is promoted. */
export function startStandby({ url }: Postgres, settings: string[] = []): Promise<Postgres> {
  const options = ['--checkpoint=fast', '--write-recovery-conf', '--no-sync'];
  return startOn(
    (directory) => ['pg_basebackup', `--pgdata=${directory}`, `--dbname=${url}`, ...options],
    settings,
  );
}

async function startOn(
  fill: (dataDirectory: string) => [program: string, ...args: string[]],
  settings: string[],
): Promise<Postgres> {
  const bin = findBinaries();
  const user = unprivilegedUser();
  const directory = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
  if (user) chownSync(directory, user.uid, user.gid);
  const dataDirectory = join(directory, 'data');
  const [program, ...args] = fill(dataDirectory);
  execFileSync(join(bin, program), args, { ...user, cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  const port = await freePort();
  const configuration = [
    `port = ${port}`,
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = ''`,
    'max_connections = 200',
    'logging_collector = off',
    ...settings,
  ];
  // Appended settings override earlier ones, such as the port of the copied server.
  appendFileSync(
    join(dataDirectory, 'postgresql.auto.conf'),
    configuration.map((line) => `${line}\n`).join(''),
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server = spawnServer();

  function spawnServer() {
    // Connections between servers look for certificates in the home directory.
    const env = { ...process.env, HOME: directory };
    const options = { stdio: 'ignore', cwd: directory, env, ...user } as const;
    return spawn(join(bin, 'postgres'), ['-D', dataDirectory], options);
  }

  const postgres: Postgres = {
    url,
    dataDirectory,
    pid: () => server.pid ?? 0,
    stop: async (mode = 'fast') => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await exited;
    },
    // The function pg_promote() would wait with a snapshot, with which the replay of the last changes can conflict.
    promote: async () => {
      await promisify(execFile)(join(bin, 'pg_ctl'), ['promote', `--pgdata=${dataDirectory}`], {
        ...user,
        cwd: directory,
      });
    },
    start: async () => {
      server = spawnServer();
      await untilReady(url);
    },
    remove: async () => {
      process.off('exit', kill);
      await postgres.stop('immediate');
      rmSync(directory, { recursive: true, force: true });
    },
  };
  const kill = () => void server.kill('SIGQUIT');
  process.once('exit', kill);
  try {
    await untilReady(url);
    return postgres;
  } catch (error) {
    await postgres.remove();
    throw error;
  }
}

/** Whether {@link startPostgres} works on this machine. */
export function postgresIsInstalled(): boolean {
  try {
    return findBinaries() !== '';
  } catch {
    return false;
  }
}

/** Returns the directory of PostgreSQL's programs: Debian's newest version, or the one in PATH. */
export function findBinaries(): string {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  const candidates = [...debian.reverse(), ...(process.env['PATH'] ?? '').split(delimiter)];
  const found = candidates.find((directory) => existsSync(join(directory, 'initdb')));
  if (found === undefined)
    throw new Error('PostgreSQL is not installed: no initdb in /usr/lib/postgresql or PATH');
  return found;
}

/** Returns the user that runs the servers if the current user is root. Otherwise undefined. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, user: string) =>
    Number(execFileSync('id', [flag, user], { stdio: 'pipe' }).toString());
  for (const user of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', user), gid: idOf('-g', user) };
    } catch {
      // The machine does not have this user. Try the next one.
    }
  }
  throw new Error('root needs the user "postgres" or "nobody" to run PostgreSQL');
}

/** Returns a free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

/** Resolves when a server accepts connections. */
export async function untilReady(url: string, deadline = Date.now() + 30_000): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
