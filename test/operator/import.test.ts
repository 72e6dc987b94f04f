import { beforeAll, describe, expect, test } from 'vitest';

import { createDatabase, onPostgres, runSql, type TestDatabase } from '../support/database.ts';
import { petstore, petstoreInShell, spawnPetstore } from '../support/petstore.ts';

const NDJSON = ['-', '--format', 'ndjson'];
const HEADER = 'name,categoryId\n';
/** More rows than one statement inserts. */
const SOME = 'Ace,1\n'.repeat(300);
/** More rows than between two reports of progress. */
const MANY = 'Ace,1\n'.repeat(10_001);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  return () => database.drop();
});

async function countPets(): Promise<number> {
  const [row] = await runSql<{ count: bigint }>(database, 'SELECT count(*) FROM pet');
  return Number(row?.count);
}

describe('an import that stops', () => {
  const long = `{"name":"${'x'.repeat(256 * 1024)}"}`;

  // On the embedded database, each of their commands starts for seconds.
  test.runIf(onPostgres()).each<[what: string, input: string, stderr: RegExp, args?: string[]]>([
    ['line', `${HEADER}${SOME}"a\nb",1\n"open,1\n${SOME}`, /^petstore: line 304: .* invalid quotes/],
    ['line', `{"name":"A","categoryId":1}\n${long}\n`, /^petstore: line 2: .* exceeds 262144 bytes/, NDJSON],
    [
      'line',
      `${HEADER}${SOME}Bo,x\nCy,y\n`,
      /^line 302: .+\npetstore: stopped at line 302/,
      ['-', '--strict'],
    ],
    ['file', '', /^petstore: cannot read \/proc: EISDIR.*; no row was imported\n$/, ['/proc']],
  ])('names the %s', async (_what, input, message, args = ['-']) => {
    const { code, stdout, stderr } = await petstore(database.environment, ['import', ...args], input);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test.each([
    ['SIGINT', 'while it waits for rows', ''],
    ['SIGTERM', 'while it works on rows', 'x,y\n'],
  ] as const)('because of %s, sent twice, %s, names the signal', async (signal, _when, more) => {
    const child = spawnPetstore(database.environment, ['import', '-']);
    child.stdin.write(`${HEADER}${MANY}`);
    await expect.poll(() => child.stderr()).toContain('10000 rows read');
    const feeding = more === '' ? undefined : setInterval(() => child.stdin.write(more.repeat(10_000)), 1);
    child.kill(signal);
    child.kill(signal);
    const { code, stdout, stderr } = await child.exit;
    clearInterval(feeding);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`\npetstore: interrupted by ${signal}; no row was imported\n`);
  });

  test('adds no row', async () => {
    expect(await countPets()).toBe(0);
  });
});

test('an import continues if stdout is on a full disk and stderr is closed', async () => {
  const before = await countPets();
  const args = ['import', '-'];
  const input = `${HEADER}Bo,x\n${SOME}`;
  const { code } = await petstoreInShell(database.environment, '"$@" >/dev/full 2> >(true)', args, input);
  expect(code).toBe(2);
  expect(await countPets()).toBe(before + 300);
});
