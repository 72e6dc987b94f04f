import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { stringify } from 'yaml';

import { findBinaries, freePort } from '../../support/postgres.ts';
import { childrenOf, killNow, type Program, startProgram, user } from './programs.ts';

/**
 * What the cluster agrees on. Synchronous mode promotes none but the standby that had to confirm each
 * commit; the strict one has writes wait while there is no such standby, so that there are always two
 * copies of what was acknowledged. A leader that is heard of no more is replaced after `ttl` seconds.
 */
export const AGREEMENT = {
  ttl: 10,
  loop_wait: 1,
  retry_timeout: 3,
  synchronous_mode: true,
  synchronous_mode_strict: true,
};

/** A standby whose leader is gone looks for the next one soon: until it has found it, no write is confirmed. */
export const POSTGRES = {
  max_connections: 100,
  shared_buffers: '32MB',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '500ms',
};

/** What is known of a node. */
export interface Member {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
  timeline?: number;
}

/** A PostgreSQL with its Patroni, which decides with the others which of them is the leader. */
export class Node {
  private program: Program | undefined;

  private constructor(
    readonly name: string,
    private readonly directory: string,
    readonly port: number,
    readonly apiPort: number,
  ) {}

  /** Describes a node in a directory of its own; it is still to be started. */
  static async in(parent: string, name: string, etcdPort: number): Promise<Node> {
    const directory = join(parent, name);
    mkdirSync(directory);
    if (user) chownSync(directory, user.uid, user.gid);
    const node = new Node(name, directory, await freePort(), await freePort());
    writeFileSync(join(directory, 'patroni.yml'), stringify(node.settings(etcdPort)));
    return node;
  }

  start(): void {
    this.program = startProgram('patroni', ['patroni.yml'], this.directory);
  }

  /** Ends Patroni, PostgreSQL and all of its processes, as a power cut would, but for what the disk was not told. */
  async kill(): Promise<void> {
    const postmaster = this.postmaster();
    const backends = postmaster === undefined ? [] : childrenOf(postmaster);
    const ended = this.program?.kill();
    if (postmaster !== undefined) killNow(postmaster);
    for (const pid of backends) killNow(pid);
    await ended;
  }

  /** Whether it has the lead. */
  async isLeader(): Promise<boolean> {
    return fetch(`${this.api}/primary`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Who is in the cluster, as this node knows it. */
  async members(): Promise<Member[]> {
    const { members } = (await (await fetch(`${this.api}/cluster`)).json()) as { members: Member[] };
    return members;
  }

  /** Hands the lead over to another node, in order. */
  async handOverTo({ name: candidate }: Node): Promise<void> {
    const response = await fetch(`${this.api}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: this.name, candidate }),
    });
    if (!response.ok) throw new Error(`no switchover: ${response.status} ${await response.text()}`);
  }

  private get api(): string {
    return `http://127.0.0.1:${this.apiPort}`;
  }

  /** The end of what Patroni and PostgreSQL have written. */
  log(): string {
    return readFileSync(join(this.directory, 'patroni.log'), 'utf8').slice(-4000);
  }

  private postmaster(): number | undefined {
    try {
      return Number(readFileSync(join(this.directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
    } catch {
      return undefined;
    }
  }

  private settings(etcdPort: number): object {
    const trust = ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
    return {
      scope: 'petstore',
      name: this.name,
      restapi: { listen: `127.0.0.1:${this.apiPort}`, connect_address: `127.0.0.1:${this.apiPort}` },
      etcd3: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          ...AGREEMENT,
          postgresql: {
            use_pg_rewind: true,
            parameters: POSTGRES,
          },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
        pg_hba: trust,
      },
      postgresql: {
        listen: `127.0.0.1:${this.port}`,
        connect_address: `127.0.0.1:${this.port}`,
        data_dir: join(this.directory, 'data'),
        bin_dir: findBinaries(),
        pgpass: join(this.directory, 'pgpass'),
        pg_hba: trust,
        authentication: {
          superuser: { username: 'postgres', password: 'postgres' },
          replication: { username: 'replicator', password: 'replicator' },
        },
        parameters: { unix_socket_directories: this.directory },
      },
    };
  }
}
