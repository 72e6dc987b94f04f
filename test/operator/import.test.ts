import { beforeAll, describe, expect, test } from 'vitest';

import { createDatabase, onCitus, onPostgres, runSql, type TestDatabase } from '../support/database.ts';
import { petstoreProcess, petstoreInShell, spawnPetstore } from '../support/petstore.ts';

const NDJSON = ['-'];
const HEADER = 'name,categoryId\n';
/** More rows than one statement inserts. */
const SOME = 'Ace,1\n'.repeat(300);
/** More rows than between two reports of progress. */
const MANY = 'Ace,1\n'.repeat(10_001);

const END_CONNECTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

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
    const { code, stdout, stderr } = await petstoreProcess(database.environment, ['import', ...args], input);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });

  const SIGNALS = [
    ['SIGINT', 'while it waits for rows', ''],
    ['SIGTERM', 'while it works on rows', 'x,y\n'],
    ['SIGHUP', 'when its terminal closes', ''],
  ] as const;

  test.each(onPostgres() ? SIGNALS : SIGNALS.slice(0, 1))(
    'because of %s, sent twice, %s, names the signal',
    async (signal, _when, more) => {
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
    },
  );

  test.runIf(onPostgres())('because the connection is lost says so', async () => {
    const child = spawnPetstore(database.environment, ['import', '-']);
    child.stdin.write(`${HEADER}${MANY}`);
    await expect.poll(() => child.stderr()).toContain('10000 rows read');
    await runSql(database, END_CONNECTIONS);
    child.stdin.end(SOME);
    const { code, stderr } = await child.exit;
    expect(code).toBe(1);
    expect(stderr).toMatch(/\npetstore: the database cannot be reached: .*; no row was imported\n$/);
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

test.runIf(onPostgres() && !onCitus())(
  'an import whose connection is lost during the commit says that its outcome is unknown',
  async () => {
    const slow = await createDatabase();
    await runSql(
      slow,
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'`,
      `CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON pet DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION wait()`,
    );
    const child = spawnPetstore({ ...slow.environment, DATABASE_QUERY_TIMEOUT_MS: '60000' }, ['import', '-']);
    child.stdin.end(`${HEADER}Bo,1\n`);
    const commits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT' AND state = 'active'`;
    await expect.poll(() => runSql(slow, commits)).toHaveLength(1);
    await runSql(slow, END_CONNECTIONS);
    const { code, stdout, stderr } = await child.exit;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^petstore: the connection was lost during the commit: .* or none, so look before/,
    );
    await slow.drop();
  },
);
