import { beforeEach, expect, test } from 'vitest';

import type { Outcome } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { petstore } from '../support/petstore.ts';
import { startServiceForTest } from '../support/service.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  return () => database.drop();
});

/** Imports from stdin. */
function importText(text: string | Uint8Array, ...options: string[]): Promise<Outcome> {
  return petstore(database.environment, ['import', '-', ...options], text);
}

/** Returns the first animals that the service lists. */
async function listPets(): Promise<unknown> {
  const { client } = await startServiceForTest(database.environment);
  return (await client.get('/v1/pets')).body;
}

test('CSV can contain quotes, commas, line breaks, a byte order mark, CRLF, unnamed columns, and columns in any order', async () => {
  const rows = [
    '\uFEFFcolour,status,name,categoryId,,',
    'red,sold,"a, ""b""",1,,',
    ',,  untrimmed\u00a0,2,,',
    'blue,pending,"two\r\nlines",-3,,',
    '',
    '"x","available","",1e3,,',
    ',,\uFEFFmark,0,,',
  ];
  const { code, stdout, stderr } = await importText(rows.join('\r\n'));
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'imported 5, refused 0\n', stderr: '' });
  expect(await listPets()).toEqual([
    { id: 1n, name: 'a, "b"', categoryId: 1n, status: 'sold' },
    { id: 2n, name: '  untrimmed\u00a0', categoryId: 2n },
    { id: 3n, name: 'two\r\nlines', categoryId: -3n, status: 'pending' },
    { id: 4n, name: '', categoryId: 1000n, status: 'available' },
    { id: 5n, name: '\uFEFFmark', categoryId: 0n },
  ]);
});

test('an invalid row of CSV is reported with its first line and the reason, and the import continues', async () => {
  const rows = [
    'name,categoryId,status',
    'Ace,1,',
    '"two\nlines",x,',
    'Bo,9223372036854775808,',
    'Cy, 2,',
    'Di,,',
    'Ed,1,gone',
    'Flo,1',
    'Gil,1,sold,more',
    '"not closed,1,',
    '\uFEFFHal,2,',
    '"a" b,1,',
    'an "odd" one,1,',
    'nul\0,1,',
    'Ida,3,sold',
  ];
  const { code, stdout, stderr } = await importText(rows.join('\n'));
  expect(code, 'the documented code of an import with refused rows').toBe(2);
  expect(stdout).toBe('imported 3, refused 11\n');
  const int64 = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807';
  const quotes = 'The row has invalid quotes: quotes must enclose a whole field, and be doubled inside it.';
  expect(stderr.trimEnd().split('\n')).toEqual([
    `line 3: ${int64}, not "x".`,
    `line 5: ${int64}, not 9223372036854775808.`,
    `line 6: ${int64}, not " 2".`,
    `line 7: ${int64}, not "".`,
    'line 8: status must be one of available, pending, sold, not "gone".',
    'line 9: The row has 2 fields, but the header has 3.',
    'line 10: The row has 4 fields, but the header has 3.',
    `line 11: ${quotes}`,
    `line 13: ${quotes}`,
    `line 14: ${quotes}`,
    'line 15: name must not contain the character U+0000.',
  ]);
  expect(await listPets()).toMatchObject([
    { name: 'Ace' },
    { name: '\uFEFFHal' },
    { name: 'Ida', categoryId: 3n },
  ]);
});

test('an invalid row of NDJSON is reported with its line and the reason, and the import continues', async () => {
  const rows = [
    '',
    '{"name":"Ace","categoryId":1,"id":7,"colour":"red"}',
    '{"name":"Bo"',
    '[]',
    '{"name":"Cy","categoryId":"1"}',
    '{"name":"Di","categoryId":1.5,"status":null}',
    '{"name":"\\ud800","categoryId":1}',
    `{"name":"Flo","categoryId":1,"tags":[${'1,'.repeat(5000)}1]}`,
    '  ',
    '{"name":"Ed","categoryId":1.0}',
  ];
  const { code, stdout, stderr } = await importText(rows.join('\n'));
  expect({ code, stdout }).toEqual({ code: 2, stdout: 'imported 2, refused 6\n' });
  const int64 = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807';
  expect(stderr.trimEnd().split('\n')).toEqual([
    'line 3: The row is not valid JSON.',
    'line 4: The row is not a JSON object.',
    `line 5: ${int64}, not "1".`,
    `line 6: ${int64}, not 1.5. status must be one of available, pending, sold, not null.`,
    'line 7: name must not contain a lone surrogate.',
    'line 8: The row contains more than 5000 values.',
  ]);
  expect(await listPets()).toEqual([
    { id: 1n, name: 'Ace', categoryId: 1n },
    { id: 2n, name: 'Ed', categoryId: 1n },
  ]);
});

test.each(['csv', 'ndjson'])('invalid UTF-8 affects only its row (%s)', async (format) => {
  const row = (name: string) => (format === 'csv' ? `${name},1\n` : `{"name":"${name}","categoryId":1}\n`);
  const text = (format === 'csv' ? 'name,categoryId\n' : '\n') + row('Ace') + row('caf\xe9') + row('Bo');
  const { code, stdout, stderr } = await importText(Buffer.from(text, 'latin1'), '--format', format);
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: 'imported 2, refused 1\n',
    stderr: 'line 3: The row is not in UTF-8.\n',
  });
});

test('an unterminated quote in a large file affects only its row, and a row above 256 KiB is refused', async () => {
  const long = 'x'.repeat(2 * 1024 * 1024);
  const many = Array.from({ length: 10_000 }, (_, index) => `a name that takes its room ${index},1\n`).join(
    '',
  );
  const { code, stdout, stderr } = await importText(`name,categoryId\n"open,1\n${long},1\n${many}`);
  expect({ code, stdout }).toEqual({ code: 2, stdout: 'imported 10000, refused 2\n' });
  expect(stderr).toMatch(/^line 2: The row has invalid quotes.*\nline 3: The row exceeds 262144 bytes\.\n/);
});

test.each([
  ['that is empty', '', /^petstore: The first line of a CSV file must name the columns[^\n]*\n$/],
  [
    'without a header that names the columns',
    'Name,categoryId\nAce,1\n',
    /^petstore: The first line of a CSV file must name the columns[^\n]*\n$/,
  ],
  [
    'in another encoding',
    Buffer.from('\uFEFFname,categoryId\nAce,1\n', 'utf16le'),
    /^petstore: The first line of the CSV file cannot be read\. The row is not in UTF-8\.\n$/,
  ],
  [
    'that names a column twice',
    'colour,name,colour,categoryId\n1,2,3,4\n',
    /^petstore: [^\n]* column colour twice[^\n]*\n$/,
  ],
])('a CSV file %s is rejected', async (_what, text, error) => {
  const { code, stdout, stderr } = await importText(text, '--format', 'csv');
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'imported 0, refused 0\n' });
  expect(stderr).toMatch(error);
});
