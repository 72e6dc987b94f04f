import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { vi } from 'vitest';

import { freePort, untilReady } from '../../support/postgres.ts';
import { Node } from './node.ts';
import { type Program, startProgram, user } from './programs.ts';

const NODES = ['node1', 'node2', 'node3'];
const WITHIN = { timeout: 120_000, interval: 100 };

/** Three nodes with etcd, and HAProxy, whose port leads to the leader. All on 127.0.0.1. */
export class Cluster {
  private constructor(
    private readonly directory: string,
    private readonly programs: Program[],
    readonly nodes: readonly Node[],
    /** The URL of the leader's database. */
    readonly url: string,
  ) {}

  static async start(): Promise<Cluster> {
    const directory = mkdtempSync(join(tmpdir(), 'petstore-cluster-'));
    if (user) chownSync(directory, user.uid, user.gid);
    chmodSync(directory, 0o755);
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const etcd = startProgram('etcd', etcdArguments(etcdPort, peerPort), directory);
    const nodes: Node[] = [];
    for (const name of NODES) nodes.push(await Node.in(directory, name, etcdPort));
    writeFileSync(join(directory, 'haproxy.cfg'), balancerSettings(port, nodes));
    const haproxy = startProgram('haproxy', ['-db', '-f', 'haproxy.cfg'], directory);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const cluster = new Cluster(directory, [etcd, haproxy], nodes, url);
    try {
      for (const node of nodes) node.start();
      await cluster.untilWhole();
      await untilReady(url);
      return cluster;
    } catch (error) {
      const logs = nodes.map((node) => node.log()).join('\n\n');
      await cluster.remove();
      throw new Error(`the cluster did not start: ${logs}`, { cause: error });
    }
  }

  /**
   * Resolves with the roles when there is one leader, and the others follow it, one of them as the synchronous standby.
   */
  async untilWhole(): Promise<{ leader: Node; synchronous: Node }> {
    return vi.waitFor(async () => {
      const [leader, ...others] = await this.leaders();
      if (!leader || others.length > 0) throw new Error(`${others.length + (leader ? 1 : 0)} leaders`);
      const members = await leader.members();
      const confirming = members.find(({ role }) => role === 'sync_standby');
      const synchronous = this.nodes.find(({ name }) => name === confirming?.name);
      const following = members.filter(
        ({ state, timeline }) => state === 'running' && timeline === members[0]?.timeline,
      );
      if (!synchronous || following.length < NODES.length) throw new Error(JSON.stringify(members));
      return { leader, synchronous };
    }, WITHIN);
  }

  /** Kills all processes and removes their files. */
  async remove(): Promise<void> {
    await Promise.all([...this.nodes, ...this.programs].map((each) => each.kill()));
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  private async leaders(): Promise<Node[]> {
    const lead = await Promise.all(this.nodes.map((node) => node.isLeader()));
    return this.nodes.filter((_, index) => lead[index]);
  }
}

function etcdArguments(port: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    ...['--name', 'etcd', '--data-dir', 'etcd'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `etcd=${peer}`],
  ];
}

// HAProxy closes all connections to a node that is no longer the leader.
function balancerSettings(port: number, nodes: readonly Node[]): string {
  const servers = nodes.map(
    (node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.apiPort}`,
  );
  return `defaults
  mode tcp
  retries 0
  timeout connect 1s
  timeout check 1s
  timeout client 1h
  timeout server 1h
listen leader
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
