// Loads a server with autocannon in a separate process: node run-autocannon.ts PLAN
import { readFileSync } from 'node:fs';

import autocannon, { type Options, type Result } from 'autocannon';

import type { LoadPlan, LoadReport } from './load.ts';
import { pseudoRandom } from './statistics.ts';

const [file = ''] = process.argv.slice(2);
const { url, headers, requests, connections, seconds } = JSON.parse(readFileSync(file, 'utf8')) as LoadPlan;

/** The number of different requests per connection. Preparing more would shorten the run. */
const REQUESTS_EACH = 100;

const random = pseudoRandom(1);
const options: Options = {
  url,
  headers: { 'Content-Type': 'application/json', ...headers },
  connections,
  duration: seconds,
  requests: requests.slice(0, 1),
  // Each connection has its own requests. Otherwise, all would send the same request at the same time.
  setupClient: (client) => {
    const count = Math.min(requests.length, REQUESTS_EACH);
    client.setRequests(
      Array.from({ length: count }, () => requests[Math.floor(random() * requests.length)] ?? {}),
    );
  },
};

// autocannon itself reports times in whole milliseconds.
const times: number[] = [];
autocannon(options, tell).on('response', (_client, _status, _bytes, milliseconds) =>
  times.push(milliseconds),
);

function tell(failure: unknown, result: Result): void {
  if (failure) throw new Error('autocannon failed', { cause: failure });
  times.sort((a, b) => a - b);
  const percentile = (part: number) => times[Math.floor(part * times.length)] ?? NaN;
  const report: LoadReport = {
    requests: result['2xx'],
    seconds: result.duration,
    p50: percentile(0.5),
    p99: percentile(0.99),
    errors: result.errors + result.non2xx,
  };
  console.log(JSON.stringify(report));
}
