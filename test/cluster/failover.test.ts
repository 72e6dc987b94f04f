import { execFileSync } from 'node:child_process';

import { expect, onTestFinished, test } from 'vitest';

import { Load } from '../faults/support/load.ts';
import { quick, rounds } from '../faults/support/mode.ts';
import { readBack } from '../faults/support/store.ts';
import { createKey } from '../support/key.ts';
import { startServiceProcess } from '../support/process.ts';
import { postgresVersion } from '../support/report.ts';
import { Cluster } from './support/cluster.ts';
import { Gaps } from './support/gaps.ts';
import type { Node } from './support/node.ts';
import { assertInstalled } from './support/programs.ts';
import { type Change, publish } from './support/results.ts';

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
  const [url = '', ...others] = services.map((service) => service.url);
  const gaps = { POST: new Gaps(), GET: new Gaps() };
  let replayed = 0;
  const load = Load.start(
    { url, key },
    {
      answerWithinMs: 20_000,
      clients: 32,
      maxPauseMs: 30,
      isKeyed: true,
      others,
      onAnswer: ({ method }, { status, headers }) => {
        if (status >= 300) return;
        gaps[method].note();
        if (headers['idempotency-replayed'] !== undefined) replayed++;
      },
    },
  );
  const untilServed = async () => {
    const [writes, reads] = [gaps.POST.count + SERVED, gaps.GET.count + SERVED];
    const isServed = () => gaps.POST.count >= writes && gaps.GET.count >= reads;
    await expect.poll(isServed, { timeout: 120_000, interval: 20 }).toBe(true);
  };
  const changes: Change[] = [];

  const change = async (what: string, means: Means) => {
    const { leader, synchronous } = await cluster.untilWhole();
    await untilServed();
    for (const gap of Object.values(gaps)) gap.takeLongest();
    await means(cluster, leader, synchronous);
    await untilServed();
    if (means === killed) leader.start();
    const { leader: next } = await cluster.untilWhole();
    await untilServed();
    expect(next.name).not.toBe(leader.name);
    const [writesMs, readsMs] = [gaps.POST.takeLongest(), gaps.GET.takeLongest()];
    changes.push({ what, from: leader.name, to: next.name, writesMs, readsMs });
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
  // The clients have repeated every write until it was acknowledged.
  const duplicates = stored - acknowledged + lost;
  const totals = { requests, acknowledged, lost, duplicates, wrong, unavailable, replayed, slowestMs };
  console.log(totals);
  if (!quick) publish(changes, totals, await versionsOf(cluster));
  expect({ lost, duplicates, wrong, examples }).toEqual({ lost: 0, duplicates: 0, wrong: 0, examples: [] });
  for (const service of services) expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
});

async function versionsOf({ url }: Cluster): Promise<Record<string, string>> {
  const version = (program: string, flag: string) =>
    /\d+\.\d+\.\d+/.exec(execFileSync(program, [flag], { encoding: 'utf8' }))?.[0] ?? 'unknown';
  return {
    PostgreSQL: await postgresVersion(url),
    Patroni: version('patroni', '--version'),
    etcd: version('etcd', '--version'),
    HAProxy: version('haproxy', '-v'),
  };
}
