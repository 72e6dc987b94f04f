import { expect } from 'vitest';

import type { Ledger } from '../../faults/support/ledger.ts';
import { readBack } from '../../faults/support/store.ts';

/** The requests of several loads, all of whose writes had keys. */
export interface Total {
  requests: number;
  acknowledged: number;
  keys: number;
  unavailable: number;
  slowestMs: number;
}

export function totalOf(ledgers: readonly Ledger[]): Total {
  const sum = (count: (ledger: Ledger) => number) =>
    ledgers.reduce((total, ledger) => total + count(ledger), 0);
  return {
    requests: sum(({ requests }) => requests),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    keys: sum(({ keys }) => keys.size),
    unavailable: sum(({ unavailable }) => unavailable),
    slowestMs: Math.max(...ledgers.map(({ slowestMs }) => slowestMs)),
  };
}

/**
 * Compares a database with all loads on it, which repeated each write until it succeeded: it has each acknowledged row and
 * key, and no other one, which would be an effect that took place twice.
 *
 * @param others the number of rows that no load wrote
 */
export async function expectEachOnce(ledgers: readonly Ledger[], DATABASE_URL: string, others = 0) {
  const rows = await readBack({ DATABASE_URL });
  for (const ledger of ledgers) expect(ledger.judge(rows)).toEqual({ lost: 0, wrong: 0, examples: [] });
  const { acknowledged, keys } = totalOf(ledgers);
  const stored = rows.pets.length + rows.orders.length + rows.messages.length - others;
  expect({ stored, keys: rows.keys.length }).toEqual({ stored: acknowledged, keys });
  return rows;
}
