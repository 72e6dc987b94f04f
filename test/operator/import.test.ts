import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { stringifyJson } from '#src/domain/json';

import type { Outcome } from '../support/command.ts';
import type { Client } from '../support/client.ts';
import { createDatabase, runSql, type TestDatabase } from '../support/database.ts';
import { petstore, petstoreInShell, petstoreOnTerminal, spawnPetstore } from '../support/petstore.ts';
import { startServiceForTest } from '../support/service.ts';

const SAMPLE = fileURLToPath(new URL('../support/sample-pets.csv', import.meta.url));

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  return () => database.drop();
});

/** Imports from stdin. */
function importText(text: string | Uint8Array, ...options: string[]): Promise<Outcome> {
  return petstore(database.environment, ['import', '-', ...options], text);
}

/** Returns all animals that the service lists, page by page. */
async function listPets(): Promise<unknown[]> {
  const { client } = await startServiceForTest(database.environment);
  return listAll(client);
}

async function listAll(client: Client): Promise<unknown[]> {
  const pets: unknown[] = [];
  let path: string | undefined = '/v1/pets?limit=100';
  while (path !== undefined) {
    const { body, headers } = await client.get(path);
    pets.push(...(body as unknown[]));
    [, path] = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  }
  return pets;
}

/** Counts the animals in a database that no process has open. */
async function countPets(): Promise<number> {
  const [row] = await runSql<{ count: bigint }>(database, 'SELECT count(*) FROM pet');
  return Number(row?.count);
}

async function file(name: string, content: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'petstore-import-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

test('the API returns every row of a CSV file byte for byte and in order', async () => {
  const [, ...rows] = parse(await readFile(SAMPLE));
  expect(await petstore(database.environment, ['import', SAMPLE])).toEqual({
    code: 0,
    stdout: `imported ${rows.length}, refused 0\n`,
    stderr: '',
  });
  const pets = rows.map(([name = '', categoryId = '0'], index) => ({
    id: BigInt(index + 1),
    name,
    categoryId: BigInt(categoryId),
  }));
  for (const part of ['é', '\u00a0', '“', '’', '"']) {
    expect(
      pets.some(({ name }) => name.includes(part)),
      `the sample holds ${part}`,
    ).toBe(true);
  }
  expect(await listPets()).toEqual(pets);
});

test('the API returns every row of an NDJSON file byte for byte and in order', async () => {
  const names = [
    '',
    ' x ',
    'line\u2028separator\u0085',
    '\uFEFFmark',
    'NULL',
    '{"a",\\b}',
    '🐈‍⬛',
    'a\nb\r\tc',
  ];
  const pets = names.map((name, index) => ({
    name,
    categoryId: index % 2 === 0 ? 9223372036854775807n : -9223372036854775808n,
    ...(index % 3 === 0 && { status: 'sold' }),
  }));
  const path = await file('pets.NDJSON', pets.map((pet) => stringifyJson(pet)).join('\r\n'));
  expect(await petstore(database.environment, ['import', path])).toMatchObject({
    code: 0,
    stdout: `imported ${pets.length}, refused 0\n`,
  });
  expect(await listPets()).toEqual(pets.map((pet, index) => ({ id: BigInt(index + 1), ...pet })));
});

test('with --strict an invalid row ends the import, and no row is imported', async () => {
  const good = Array.from({ length: 2500 }, (_, index) => `pet ${index},1\n`).join('');
  const { code, stdout, stderr } = await importText(`name,categoryId\n${good}Bo,x\nCy,y\n`, '--strict');
  expect(code).toBe(1);
  expect(stdout).toBe('imported 0, refused 1\n');
  expect(stderr).toMatch(/^line 2502: categoryId .*\npetstore: stopped at line 2502; no row was imported\n$/);
  expect(await listPets()).toEqual([]);
});

test('with --strict a file of valid rows is imported', async () => {
  const good = Array.from({ length: 2500 }, (_, index) => `pet ${index},1\n`).join('');
  expect(await importText(`name,categoryId\n${good}`, '--strict')).toEqual({
    code: 0,
    stdout: 'imported 2500, refused 0\n',
    stderr: '',
  });
  const pets = await listPets();
  expect(pets).toHaveLength(2500);
  expect(pets.at(-1)).toEqual({ id: 2500n, name: 'pet 2499', categoryId: 1n });
});

test('without a terminal, progress is reported in lines', async () => {
  const good = '{"name":"Rex","categoryId":1}\n'.repeat(20_001);
  const { stdout, stderr } = await importText(good);
  expect(stdout).toBe('imported 20001, refused 0\n');
  expect(stderr).toBe('10000 rows read\n20000 rows read\n');
});

test.runIf(hasScript())('on a terminal, a bar shows progress, and refused rows appear above it', async () => {
  const path = await file('pets.csv', 'name,categoryId\nAce,1\nBo,x\n');
  const { code, stdout } = await petstoreOnTerminal(database.environment, ['import', path]);
  expect(code).toBe(2);
  expect(stdout).toMatch(/line 3: categoryId must be [^]*=+ 100% \| 2 rows[^]*imported 1, refused 1\r\n$/);
});

describe('an import continues', () => {
  const rows = Array.from({ length: 5000 }, (_, index) => `pet ${index},${index % 2 ? index : 'x'}\n`);
  const text = `name,categoryId\n${rows.join('')}`;

  test.each([
    ['if stdout is closed', '"$@" 2>/dev/null | true; exit ${PIPESTATUS[0]}'],
    ['if stderr is closed', '"$@" 2> >(true); exit $?'],
    ['if stderr is on a full disk', '"$@" 2>/dev/full'],
  ])('when %s (%s)', async (_when, script) => {
    const { code } = await petstoreInShell(database.environment, script, ['import', '-'], text);
    expect(code).toBe(2);
    expect(await countPets()).toBe(2500);
  });

  test('if stdout is on a full disk, and reports that in one line', async () => {
    const path = await file('pets.csv', 'name,categoryId\nAce,1\n');
    const outcome = await petstoreInShell(database.environment, '"$@" >/dev/full', ['import', path]);
    expect(outcome.stderr).toMatch(/^petstore: cannot write to stdout: ENOSPC[^\n]*\n$/);
    expect(outcome.code, 'all rows were imported').toBe(0);
    expect(await countPets()).toBe(1);
  });
});

test.each([
  ['SIGINT', 'while it waits for rows', ''],
  ['SIGTERM', 'while it works on rows', 'x,y\n'],
] as const)(
  'an import that %s interrupts %s, once or twice, says how many are imported',
  async (signal, _when, more) => {
    const child = spawnPetstore(database.environment, ['import', '-', '--format', 'csv']);
    child.stdin.write(`name,categoryId\n${'Ace,1\n'.repeat(10_000)}`);
    await expect.poll(() => child.stderr()).toContain('10000 rows read');
    const feeding = more === '' ? undefined : setInterval(() => child.stdin.write(more.repeat(10_000)), 1);
    child.kill(signal);
    child.kill(signal);
    const { code, stdout, stderr } = await child.exit;
    clearInterval(feeding);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`petstore: interrupted by ${signal}`);
    const [, imported] = /^imported (\d+), refused \d+\n$/.exec(stdout) ?? [];
    expect(Number(imported)).toBeGreaterThanOrEqual(9000);
    expect(await countPets()).toBe(Number(imported));
  },
);

test('an import with --strict that is interrupted is rolled back', async () => {
  const child = spawnPetstore(database.environment, ['import', '-', '--strict', '--format', 'csv']);
  child.stdin.write(`name,categoryId\n${'Ace,1\n'.repeat(10_000)}`);
  await expect.poll(() => child.stderr()).toContain('10000 rows read');
  child.kill('SIGINT');
  expect(await child.exit).toMatchObject({ code: 1, stdout: 'imported 0, refused 0\n' });
  expect(await countPets()).toBe(0);
});

test('a file that cannot be read is reported in one line', async () => {
  for (const path of ['/nowhere/pets.csv', tmpdir()]) {
    const { code, stderr } = await petstore(database.environment, ['import', path]);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^petstore: cannot read ${path}: [^\\n]+\\n$`));
  }
});

function hasScript(): boolean {
  try {
    execFileSync('script', ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
