import { median, ratio } from '../support/statistics.ts';
import type { Measurement } from './load.ts';
import type { LimitedStart, Results, Series } from './results.ts';
import { SCENARIOS } from './scenarios.ts';

/** A target of the service. */
export interface Target {
  text: string;
  target: string;
  /** NaN: not measured. */
  measured: number;
  /** Formats the figure. */
  unit: string;
  met: boolean;
}

/** The minimum ratio of the requests per second at 64 connections to those of lean Nest. */
const LEAN_NEST: Record<string, number> = {
  list: 1.8,
  mix: 1.3,
  deep: 1.5,
  get: 1.6,
  create: 1.5,
  message: 1.7,
};

/** The maximum ratio of the CPU time for a request at 64 connections to that of an empty Nest application. */
const EMPTY_NEST: Record<string, number> = { get: 1.3, list: 1.4 };

/** The maximum ratio of p50 at one connection to that of lean Nest. */
const P50_ALONE: Record<string, number> = { get: 1.1, list: 1.15 };

/** The maximum ratio of the CPU time of a get in a start to that in the best start on the same kind of database. */
const WORST_START = 1.5;

/** The maximum memory in MiB after the creates and the gets, after all scenarios, and at its peak. */
const MEMORY = { PostgreSQL: [256, 300, 300], PGlite: [530, 600, 600] } as const;

/** The maximum of CPU milliseconds until the first response on PGlite, and of MiB at the peak until then. */
const READY: Record<string, [cpuMs: number, peakMiB: number]> = {
  'first start': [2200, 500],
  'later start': [1400, 380],
};

/** Returns each target with the measured figure. */
export function targetsOf(results: Results): Target[] {
  return [...ofComparison(results), ...ofStarts(results), ...ofEmbedded(results)];
}

function ofComparison({ comparison }: Results): Target[] {
  const series = comparison?.series ?? [];
  if (!comparison) return [];
  const find = (load: Load, server: string) =>
    series.find(
      ({ scenario, connections, ...one }) =>
        scenario === load.scenario && connections === load.connections && one.server === server,
    );
  const compared = (key: keyof Measurement, load: Load, peer: string) =>
    ratio(find(load, 'petstore')?.[key] ?? [], find(load, peer)?.[key] ?? []);
  const faster = SCENARIOS.map(({ name, title }) => {
    const rate = compared('requestsPerSecond', { scenario: name, connections: 64 }, 'lean-nest');
    return atLeast(`${title}, 64 connections, against lean Nest`, LEAN_NEST[name] ?? NaN, rate, '×');
  });
  const latency = Object.entries(P50_ALONE).map(([scenario, bound]) => {
    const p50 = compared('p50', { scenario, connections: 1 }, 'lean-nest');
    return atMost(`${scenario}, p50 at 1 connection, against lean Nest`, bound, p50, '×');
  });
  const aboveNest = Object.entries(EMPTY_NEST).map(([scenario, bound]) => {
    const cpu = compared('cpu', { scenario, connections: 64 }, 'empty-nest');
    return atMost(
      `${scenario}, CPU time at 64 connections, against an empty Nest application`,
      bound,
      cpu,
      '×',
    );
  });
  return [...aboveNest, ...faster, ...latency];
}

function ofStarts({ starts: measured }: Results): Target[] {
  return (['PostgreSQL', 'PGlite'] as const).flatMap((database) => {
    const starts = measured?.starts.filter((start) => start.database === database) ?? [];
    if (starts.length === 0) return [];
    const cpu = starts.map(({ getCpu }) => getCpu);
    const [afterGets, afterAll, peak] = MEMORY[database];
    const worst = (key: 'afterGets' | 'afterAll' | 'peak') => Math.max(...starts.map((one) => one[key]));
    const worstAgainstBest = Math.max(...cpu) / Math.min(...cpu);
    return [
      atMost(`CPU of a get on ${database}, worst start against best`, WORST_START, worstAgainstBest, '×'),
      atMost(`memory on ${database} after gets, worst start`, afterGets, worst('afterGets'), ' MiB'),
      atMost(`memory on ${database} after all scenarios, worst start`, afterAll, worst('afterAll'), ' MiB'),
      atMost(`memory on ${database} at its peak, worst start`, peak, worst('peak'), ' MiB'),
    ];
  });
}

/** The load on a server. */
type Load = Pick<Series, 'scenario' | 'connections'>;

function ofEmbedded({ embedded }: Results): Target[] {
  if (!embedded) return [];
  const { requestsPerSecond, limitedStarts } = embedded;
  const lists = median(requestsPerSecond['list'] ?? []);
  return [
    atLeast('list on PGlite, 64 connections, a second', 8000, lists, ''),
    ...(typeof limitedStarts === 'string' ? [] : limitedStarts.flatMap(ofLimitedStart)),
  ];
}

function ofLimitedStart({
  start,
  limitMiB,
  isKilled,
  readyCpuMs,
  peakMiB,
  loadedMiB,
}: LimitedStart): Target[] {
  const [cpuMs, peak] = READY[start] ?? [NaN, NaN];
  const text = `${start} on PGlite with ${limitMiB} MiB`;
  return [
    atMost(`${text}, processes that the kernel ends`, 0, Number(isKilled), ''),
    atMost(`${text}, CPU until the first response`, cpuMs, readyCpuMs, ' ms'),
    atMost(`${text}, peak until then`, peak, peakMiB, ' MiB'),
    atMost(`${text}, after all scenarios`, 530, loadedMiB, ' MiB'),
  ];
}

const atLeast = (text: string, bound: number, measured: number, unit: string): Target => {
  const target = `≥ ${bound.toLocaleString('en')}${unit}`;
  return { text, measured, unit, target, met: measured >= bound };
};
const atMost = (text: string, bound: number, value: number | null, unit: string): Target => {
  const measured = value ?? NaN;
  const target = `≤ ${bound.toLocaleString('en')}${unit}`;
  return { text, measured, unit, target, met: measured <= bound };
};
