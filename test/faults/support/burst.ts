import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { stringifyJson } from '#src/domain/json';

import { exchange } from './exchange.ts';
import type { Ledger } from './ledger.ts';
import { chooseOperation, errorIn } from './operations.ts';
import type { Target } from './load.ts';

/** The durations of successes and of 503 responses, in milliseconds. */
export interface Durations {
  accepted: number[];
  shed: number[];
}

const ANSWER_WITHIN_MS = 30_000;

/** Clients that pause only after a response with Retry-After. They record the responses in the ledger. */
export async function burst(
  { url, key }: Target,
  clients: number,
  forMs: number,
  ledger: Ledger,
): Promise<Durations> {
  const durations: Durations = { accepted: [], shed: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const end = performance.now() + forMs;
  const runClient = async () => {
    while (performance.now() < end) {
      const { method, path, json, accept } = chooseOperation(ledger);
      const headers = {
        authorization: `Bearer ${key}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      };
      const body = json === undefined ? {} : { body: stringifyJson(json) };
      ledger.requests++;
      const outcome = await exchange(url, agent, { method, path, headers, ...body }, ANSWER_WITHIN_MS);
      if (outcome.kind !== 'answer') {
        ledger.addWrong(outcome.detail);
        continue;
      }
      ledger.slowestMs = Math.max(ledger.slowestMs, outcome.durationMs);
      const accepted = outcome.status < 300;
      durations[accepted ? 'accepted' : 'shed'].push(outcome.durationMs);
      const problem = accepted ? accept(outcome) : errorIn(outcome);
      if (accepted) ledger.succeeded++;
      else ledger.unavailable++;
      if (!accepted && method === 'POST') ledger.unknown++;
      if (problem !== undefined) ledger.addWrong(`${method} ${path}: ${problem}: ${outcome.text}`);
      if (!accepted) await sleep(Number(outcome.headers['retry-after']) * 1000 * (0.5 + Math.random()));
    }
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  agent.destroy();
  return durations;
}

/** Returns the percentile of values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN;
}
