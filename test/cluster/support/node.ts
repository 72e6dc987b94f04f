import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { stringify } from 'yaml';

import { findBinaries, freePort } from '../../support/postgres.ts';
import { childrenOf } from '../../support/proc.ts';
import { signal } from '../../support/signal.ts';
import { type Program, startProgram, user } from './programs.ts';

/**
 * The configuration of the cluster. In synchronous mode, Patroni promotes only the standby that confirms each commit.
 * In strict mode, writes wait while there is no such standby, so there are always two copies of acknowledged writes.
 * After `ttl` seconds without contact, another node replaces the leader.
 */
export const AGREEMENT = {
  ttl: 10,
  loop_wait: 1,
  retry_timeout: 3,
  synchronous_mode: true,
  synchronous_mode_strict: true,
};

/** A standby reconnects soon after a change of the leader, because writes wait until then. */
export const POSTGRES = {
  max_connections: 100,
  shared_buffers: '32MB',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '500ms',
};

/** The state of a node. */
export interface Member {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
  timeline?: number;
}

/** A PostgreSQL with Patroni, which elects the leader together with the other nodes. */
export class Node {
  private program: Program | undefined;

  private constructor(
    readonly name: string,
    private readonly directory: string,
    readonly port: number,
    readonly apiPort: number,
  ) {}

  /** Creates a node in a separate directory. The node is not started. */
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

  /**
   * Kills Patroni, PostgreSQL and all of its processes, like a power cut, except that data in the operating system's
   * cache is kept.
   */
  async kill(): Promise<void> {
    const postmaster = this.postmaster();
    const backends = postmaster === undefined ? [] : childrenOf(postmaster);
    const ended = this.program?.kill();
    if (postmaster !== undefined) signal([postmaster, ...backends], 'SIGKILL');
    await ended;
  }

  /** Whether the node is the leader. */
  async isLeader(): Promise<boolean> {
    return fetch(`${this.api}/primary`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Returns the members of the cluster, as this node sees it. */
  async members(): Promise<Member[]> {
    const { members } = (await (await fetch(`${this.api}/cluster`)).json()) as { members: Member[] };
    return members;
  }

  /** Switches over to another node. */
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

  /** Returns the end of the logs of Patroni and PostgreSQL. */
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
