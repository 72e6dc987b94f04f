import { expect, test } from 'vitest';

import { petstore } from '../support/petstore.ts';

test.each([
  [[]],
  [['nope']],
  [['keys', 'create']],
  [['keys', 'create', '--account', 'x'.repeat(65)]],
  [['keys', 'create', '--account', 'acme', '--label', '']],
  [['keys', 'revoke']],
  [['keys', 'revoke', 'abc']],
  [['keys', 'revoke', '9223372036854775808']],
  [['import']],
  [['import', '-', '--format', 'xml']],
  [['messages', 'retry']],
  [['messages', 'retry', '019a9f3c-5c00-7e1b-8a4d-3f6b2c9d1e0f', '--all']],
  [['messages', 'retry', 'x']],
])('invalid usage (%j) is reported on stderr before the environment is read', async (args) => {
  const { code, stdout, stderr } = await petstore({ PORT: 'wrong' }, args);
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^(error: .+\n|Usage: [^]*)$/);
});

test.each([
  [[], ['migrate', 'keys', 'import']],
  [['migrate'], ['--undo']],
  [
    ['keys', 'create'],
    ['--account', '--label'],
  ],
  [['import'], ['--format', '--strict', 'Exit codes', '0  ', '1  ', '2  ']],
])('petstore %j --help contains %j', async (command, words) => {
  const { code, stdout } = await petstore({ PORT: 'wrong' }, [...command, '--help']);
  expect(code).toBe(0);
  for (const word of words) expect(stdout).toContain(word);
});

test.each([['--label'], ['--account']])('the error of keys create escapes an invalid %s', async (option) => {
  const { code, stdout, stderr } = await petstore({ PORT: 'wrong' }, [
    ...['keys', 'create', '--account', 'acme'],
    ...[option, 'evil\u001b[2J\u202e'],
  ]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('evil\\u{1b}[2J\\u{202e}');
  expect(stderr).toMatch(/^[^\p{Cc}\p{Cf}]*\n$/u);
});

test.each([
  [{ PORT: 'http' }, 'PORT: "http" is not a whole number'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL: not an address'],
  [{ DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'the database cannot be reached: '],
  [{ DATA_DIR: '/dev/null/data' }, 'DATA_DIR: the embedded database in "/dev/null/data" cannot be opened: '],
])('an invalid environment (%o) is reported in one line', async (environment, line) => {
  const { code, stdout, stderr } = await petstore(environment, ['keys', 'list']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^petstore: [^\n]+\n$/);
  expect(stderr).toContain(line);
});
