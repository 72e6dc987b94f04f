import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';

import { stringifyJson } from '#src/domain/json';

import { createDatabaseForTest } from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { petstoreEach } from '../support/petstore.ts';
import { startServiceForTest } from '../support/service.ts';

const SAMPLE = 'test/support/sample-pets.csv';

/** A row, and the animal that it adds or the reason to refuse it. A line without a result is skipped. */
type Example = [row: string | Buffer, result?: object | string];

const INT64 = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807';
const INVALID_UTF8 = Buffer.from([0x63, 0xe9]);

const CSV: Example[] = [
  ['\uFEFFcolour,status,"name",categoryId,,'],
  ['red,sold,"a, ""b""",1,,', { name: 'a, "b"', categoryId: 1n, status: 'sold' }],
  [',,  untrimmed\u00a0,2,,', { name: '  untrimmed\u00a0', categoryId: 2n }],
  ['"two\nlines",pending,"two\r\nlines",-3,,', { name: 'two\r\nlines', categoryId: -3n, status: 'pending' }],
  [''],
  [',,,,,'],
  ['"x","available","",1e3,,', { name: '', categoryId: 1000n, status: 'available' }],
  [',,\uFEFFmark,9223372036854775807,,', { name: '\uFEFFmark', categoryId: 9223372036854775807n }],
  [',,"two\nlines",x,,', `${INT64}, not "x".`],
  [',,Bo,9223372036854775808,,', `${INT64}, not 9223372036854775808.`],
  [',,Bo,11111111111111111111,,', `${INT64}, not 11111111111111111111.`],
  [',,Bo,"1,""status"":""sold""",,', `${INT64}, not "1,\\"status\\":\\"sold\\"".`],
  [',,Di,,,', `${INT64}, not "".`],
  [',gone,Ed,1,,', 'status must be one of available, pending, sold, not "gone".'],
  [',,Flo,1', 'The row does not have one field for each column of the header.'],
  [',,Gil,1,,,', 'The row does not have one field for each column of the header.'],
  [Buffer.concat([Buffer.from(',,'), INVALID_UTF8, Buffer.from(',1,,')]), 'The row is not in UTF-8.'],
  [',,nul\0,1,,', 'name must not contain the character U+0000.'],
  [',sold,Ida,3,,', { name: 'Ida', categoryId: 3n, status: 'sold' }],
];

const NDJSON: Example[] = [
  [''],
  ['{"name":"Ace","categoryId":1,"id":7,"colour":"red"}', { name: 'Ace', categoryId: 1n }],
  ['{"name":"Bo"', 'The row is not valid JSON in UTF-8.'],
  ['[]', 'The row must be a JSON object, not an array.'],
  ['{"name":"Cy","categoryId":"1"}', `${INT64}, not "1".`],
  [
    '{"name":"Di","categoryId":1.5,"status":null}',
    `${INT64}, not 1.5. status must be one of available, pending, sold, not null.`,
  ],
  ['{"name":"\\ud800","categoryId":1}', 'name must not contain a lone surrogate.'],
  [`{"name":"Flo","tags":[${'1,'.repeat(5000)}1]}`, 'The row contains more than 5000 values.'],
  [Buffer.concat([Buffer.from('{"name":"'), INVALID_UTF8]), 'The row is not in UTF-8.'],
  ['  '],
  ['{"name":"Ed","categoryId":-1.0,"status":"sold"}', { name: 'Ed', categoryId: -1n, status: 'sold' }],
];

/** Returns the bytes of examples, the animals of the valid ones, and the outcome of their import. */
function importOf(examples: Example[], lineEnd: string) {
  const pets: object[] = [];
  const refusals: string[] = [];
  let blank = 0;
  let line = 1;
  for (const [row, result] of examples) {
    if (typeof result === 'string') refusals.push(`line ${line}: ${result}\n`);
    else if (result) pets.push(result);
    else if (row.toString().replaceAll(',', '').trim() === '') blank++;
    line += row.toString().split('\n').length;
  }
  const counts = `imported ${pets.length}, refused ${refusals.length}, skipped ${blank} blank, in `;
  return {
    bytes: Buffer.concat(examples.flatMap(([row]) => [Buffer.from(row), Buffer.from(lineEnd)])),
    pets,
    outcome: { code: 2, stdout: expect.stringContaining(counts) as string, stderr: refusals.join('') },
  };
}

test('the API returns each valid row byte for byte and in order, and each other row is refused with its first line', async () => {
  const names = ['', ' x ', 'line\u2028separator\u0085', 'NULL', '{"a",\\b}', '🐈‍⬛', 'a\nb\r\tc'];
  const json = names.map((name, index) => ({
    name,
    categoryId: index % 2 === 0 ? 9223372036854775807n : -9223372036854775808n,
    ...(index % 3 === 0 && { status: 'sold' }),
  }));
  const [csv, ndjson] = [importOf(CSV, '\r\n'), importOf(NDJSON, '\n')];
  const directory = await makeDirectoryForTest();
  const [ofJson, ofCsv, ofNdjson] = ['pets.NDJSON', 'examples.csv', 'examples.ndjson'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  await writeFile(ofJson, json.map((pet) => stringifyJson(pet)).join('\n'));
  await writeFile(ofCsv, csv.bytes);
  await writeFile(ofNdjson, ndjson.bytes);
  const [, ...sample] = parse(await readFile(SAMPLE));

  const { environment } = await createDatabaseForTest();
  const outcomes = await petstoreEach(environment, [
    ['import', SAMPLE, '--strict'],
    ['import', ofJson, '--strict'],
    ['import', ofCsv],
    ['import', ofNdjson],
  ]);
  const imported = (count: number) => ({
    code: 0,
    stdout: expect.stringContaining(`imported ${count}, refused 0, in `) as string,
    stderr: '',
  });
  expect(outcomes).toEqual([imported(sample.length), imported(json.length), csv.outcome, ndjson.outcome]);
  const expected = [
    ...sample.map(([name, categoryId = '']) => ({ name, categoryId: BigInt(categoryId) })),
    ...[...json, ...csv.pets, ...ndjson.pets],
  ];

  const { client } = await startServiceForTest(environment);
  const pets: unknown[] = [];
  for (let after = 0; after < expected.length; after += 100) {
    pets.push(...((await client.get(`/v1/pets?limit=100&after=${after}`)).body as unknown[]));
  }
  expect(pets).toEqual(expected.map((pet, index) => ({ id: BigInt(index + 1), ...pet })));
});
