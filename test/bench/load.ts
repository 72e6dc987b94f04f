import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Request } from './scenarios.ts';
import type { Server } from './servers.ts';

const run = promisify(execFile);

/** The measurements of one run of load. Times are in milliseconds. */
export interface Measurement {
  requestsPerSecond: number;
  p50: number;
  p99: number;
  /** CPU time of the server's process, in seconds for 1,000 requests. */
  cpu: number;
}

/** The report of wrk about a run. */
interface LoadReport {
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
  /** The number of requests without a response, or with one that is not a success. */
  errors: number;
}

interface LoadPlan {
  url: string;
  headers: Record<string, string>;
  requests: Request[];
  connections: number;
  seconds: number;
  /** Whether each request has an `Idempotency-Key` of its own. */
  isKeyed?: boolean;
}

/**
 * Loads a server with wrk for some seconds.
 *
 * @throws Error when a request failed, because the run then measured something else
 */
export async function load(
  server: Server,
  requests: Request[],
  { connections, seconds, isKeyed = false }: Pick<LoadPlan, 'connections' | 'seconds' | 'isKeyed'>,
): Promise<Measurement> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  try {
    const before = server.cpuMs();
    const plan = { url: server.url, headers: server.headers, requests, connections, seconds, isKeyed };
    const report = await runWrk(plan, directory);
    const cpuMs = server.cpuMs() - before;
    if (report.errors > 0 || report.requests === 0) {
      throw new Error(
        `${server.kind.title} failed ${report.errors} of ${report.requests} requests such as ${JSON.stringify(requests[0])}`,
      );
    }
    return {
      requestsPerSecond: report.requests / report.seconds,
      p50: report.p50,
      p99: report.p99,
      cpu: cpuMs / report.requests,
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** wrk calls `done` at the end. It counts a response with a status of 400 or more as an error. */
const DONE = `
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"errors":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end`;

async function runWrk(
  { url, headers, requests, connections, seconds, isKeyed }: LoadPlan,
  directory: string,
): Promise<LoadReport> {
  const script = join(directory, 'load.lua');
  writeFileSync(
    script,
    [
      ...(requests.length === 1 ? [] : [CHOOSE]),
      ...(isKeyed ? [`local prefix = '${randomUUID()}-'`, KEYED] : []),
      ...requests.map(toLua),
      DONE,
    ].join('\n'),
  );
  const headerArguments = Object.entries({ 'Content-Type': 'application/json', ...headers }).flatMap(
    ([name, value]) => ['-H', `${name}: ${value}`],
  );
  const { stdout } = await run('wrk', [
    ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', script],
    ...headerArguments,
    url,
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LoadReport;
}

/** Formats all requests once, and selects one at random each time. wrk itself repeats a single request. */
const CHOOSE = `
local requests = {}
function init()
  for index, request in ipairs(wrk.all) do
    requests[index] = wrk.format(request.method, request.path, nil, request.body)
  end
end
function request()
  return requests[math.random(#requests)]
end
wrk.all = {}`;

/** Gives each repetition of a single request a key. */
const KEYED = `
local count = 0
function request()
  count = count + 1
  wrk.headers['Idempotency-Key'] = prefix .. count
  return wrk.format()
end`;

function toLua({ method, path, body }: Request, _index: number, all: Request[]): string {
  // The JSON of an ASCII string is also a Lua string.
  const fields = Object.entries({ method, path, ...(body !== undefined && { body }) });
  const text = fields.map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return all.length === 1
    ? text.map((field) => `wrk.${field}`).join('\n')
    : `table.insert(wrk.all, { ${text.join(', ')} })`;
}
