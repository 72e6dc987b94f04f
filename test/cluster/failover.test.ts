import { execFileSync } from 'node:child_process';

import { expect, onTestFinished, test } from 'vitest';

import { quick, rounds } from '../faults/support/mode.ts';
import { readBack } from '../faults/support/store.ts';
import { createKey } from '../support/key.ts';
import { query } from '../support/query.ts';
import { startServiceProcess } from '../support/process.ts';
import { Cluster } from './support/cluster.ts';
import type { Node } from './support/node.ts';
import { assertInstalled } from './support/programs.ts';
import { type Change, publish } from './support/results.ts';
import { RetryingLoad } from './support/retrying-load.ts';

const TIMES = rounds(5, 1);

/** The number of writes and reads before and after each change. */
const SERVED = 200;

type Means = (cluster: Cluster, leader: Node, synchronous: Node) => Promise<void>;

const killed: Means = async (_cluster, leader) => {
  await leader.kill();
};

const switchedOver: Means = async (_cluster, leader, synchronous) => {
  await leader.handOverTo(synchronous);
};

test('when the leader is killed or switched over, no acknowledged write is lost, and no repeated write has a duplicate', async () => {
  assertInstalled();
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.remove());
  const DATABASE_URL = cluster.url;
  const key = await createKey({ DATABASE_URL });
  const services = await Promise.all([1, 2].map(() => startServiceProcess({ DATABASE_URL })));
  const urls = services.map(({ url }) => url);
  const load = new RetryingLoad(urls, key);
  const changes: Change[] = [];

  const change = async (what: string, means: Means) => {
    const { leader, synchronous } = await cluster.untilWhole();
    await load.untilServed(SERVED);
    load.writes.takeLongest();
    load.reads.takeLongest();
    await means(cluster, leader, synchronous);
    await load.untilServed(SERVED);
    if (means === killed) leader.start();
    const { leader: next } = await cluster.untilWhole();
    await load.untilServed(SERVED);
    expect(next.name).not.toBe(leader.name);
    const gaps = { writesMs: load.writes.takeLongest(), readsMs: load.reads.takeLongest() };
    changes.push({ what, from: leader.name, to: next.name, ...gaps });
    console.log(changes.at(-1));
  };
  for (let time = 0; time < TIMES; time++) {
    await change('killed', killed);
    await change('switched over', switchedOver);
  }

  const ledger = await load.stop();
  const rows = await readBack({ DATABASE_URL });
  const { lost, wrong, examples } = ledger.judge(rows);
  const stored = rows.pets.length + rows.orders.length + rows.messages.length;
  const { requests, acknowledged, unavailable, slowestMs } = ledger;
  const { repeated, replayed } = load;
  // The clients have repeated every request until it was acknowledged.
  const duplicates = stored - acknowledged + lost;
  const totals = {
    requests,
    acknowledged,
    lost,
    duplicates,
    wrong,
    unavailable,
    repeated,
    replayed,
    slowestMs,
  };
  console.log(totals);
  if (!quick) publish(changes, totals, await versionsOf(cluster));
  expect({ lost, duplicates, wrong, examples }).toEqual({ lost: 0, duplicates: 0, wrong: 0, examples: [] });
  for (const service of services) expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
});

async function versionsOf({ url }: Cluster): Promise<string> {
  const [row] = await query<{ server_version: string }>(url, 'SHOW server_version');
  const version = (program: string, flag: string) =>
    /\d+\.\d+\.\d+/.exec(execFileSync(program, [flag], { encoding: 'utf8' }))?.[0] ?? 'unknown';
  const parts = {
    PostgreSQL: row?.server_version.split(' ')[0] ?? 'unknown',
    Patroni: version('patroni', '--version'),
    etcd: version('etcd', '--version'),
    HAProxy: version('haproxy', '-v'),
  };
  return Object.entries({ Node: process.versions.node, ...parts })
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
