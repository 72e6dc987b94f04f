// Loads a server with autocannon, in a process of its own: node run-autocannon.ts PLAN
import { readFileSync } from 'node:fs';

import autocannon from 'autocannon';

import type { LoadPlan, LoadReport } from './load.ts';
import { pseudoRandom } from './statistics.ts';

const [file = ''] = process.argv.slice(2);
const { url, headers, requests, connections, seconds } = JSON.parse(readFileSync(file, 'utf8')) as LoadPlan;

let seed = 0;
const result = await autocannon({
  url,
  headers: { 'Content-Type': 'application/json', ...headers },
  connections,
  duration: seconds,
  requests: requests.slice(0, 1),
  // Each connection has an order of its own, or all would ask for the same at the same time.
  setupClient: (client) => {
    const random = pseudoRandom(++seed);
    const shuffled = requests
      .map((request) => ({ request, rank: random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ request }) => request);
    client.setRequests(shuffled);
  },
});

const report: LoadReport = {
  requests: result['2xx'],
  seconds: result.duration,
  p50: result.latency.p50,
  p99: result.latency.p99,
  errors: result.errors + result.non2xx,
};
console.log(JSON.stringify(report));
