import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { BASE_ENVIRONMENT } from '../support/command.ts';
import { createDatabase, runSql, type TestDatabase } from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { petstore } from '../support/petstore.ts';

/** The animals of the files, in their order, as `name|categoryId|status`. */
const KITTY = 'Kitty|1|sold';
const BIG = 'Zoë 🐈|9223372036854775807|';

const CSV = 'name,categoryId,status\nKitty,1,sold\nZoë 🐈,9223372036854775807,\n';
const SEMICOLONS = CSV.replaceAll(',', ';');
const TABS = CSV.replaceAll(',', '\t');
const OBJECTS = [
  '{"name":"Kitty","categoryId":1,"status":"sold"}',
  '{"name":"Zoë 🐈","categoryId":9223372036854775807}',
];
const ARRAY = `[${OBJECTS.join()}]`;
const BOM = '\uFEFF';
/** The first bytes of a workbook. */
const WORKBOOK = Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 6, 0]);

const REQUIRED = 'but must name each of these columns once: name, categoryId.';

type Outcome = string[] | RegExp;

/** A name, the content, and the animals that are imported or the reason that is printed. */
const FILES: [file: string, content: string | Buffer, outcome: Outcome][] = [
  ['commas.csv', CSV, [KITTY, BIG]],
  ['commas-with-mark.csv', BOM + CSV.replaceAll('\n', '\r\n'), [KITTY, BIG]],
  ['semicolons-of-excel.csv', BOM + SEMICOLONS.replaceAll('\n', '\r\n'), [KITTY, BIG]],
  ['semicolons.csv', SEMICOLONS, [KITTY, BIG]],
  ['semicolons-and-commas-in-names.csv', 'name;categoryId\n"a, b";1\nc, d;2\n', ['a, b|1|', 'c, d|2|']],
  ['tabs.tsv', TABS, [KITTY, BIG]],
  ['tabs.txt', TABS, [KITTY, BIG]],
  ['sep.csv', `sep=;\r\n${SEMICOLONS.replaceAll('\n', '\r\n')}`, [KITTY, BIG]],
  ['sep-with-mark.csv', `${BOM}sep=,\n${CSV}`, [KITTY, BIG]],
  ['sep-of-another-character.csv', `SEP=|\n${CSV.replaceAll(',', '|')}`, [KITTY, BIG]],
  ['returns.csv', CSV.replaceAll('\n', '\r'), [KITTY, BIG]],
  ['blank-lines.csv', `\n  \r\n${CSV}\n\n`, [KITTY, BIG]],
  ['quoted-header.csv', CSV.replace('name', '"name"'), [KITTY, BIG]],
  ['no-end.csv', CSV.trimEnd(), [KITTY, BIG]],
  ['only-header.csv', 'name,categoryId\n', []],
  ['only-header-without-end.csv', 'name,categoryId', []],
  ['array.json', ARRAY, [KITTY, BIG]],
  ['array-with-mark.json', `${BOM}\n${ARRAY}\n\n`, [KITTY, BIG]],
  ['pretty.json', `[\r\n  ${OBJECTS.join(',\r\n  ')}\r\n]\r\n`, [KITTY, BIG]],
  ['empty-array.json', ' [ ] ', []],
  ['lines.ndjson', OBJECTS.join('\n'), [KITTY, BIG]],
  ['lines.jsonl', `${OBJECTS.join('\r\n')}\r\n`, [KITTY, BIG]],
  ['lines.JSONL', `${BOM}${OBJECTS.join('\n')}\n\n`, [KITTY, BIG]],
  ['array-without-ending', ARRAY, [KITTY, BIG]],
  ['lines-without-ending', OBJECTS.join('\n'), [KITTY, BIG]],
  ['semicolons-without-ending', SEMICOLONS, [KITTY, BIG]],
  ['pets.json', `{"pets":${ARRAY}}`, /the file contains an object, not an array of animals/],
  ['object-without-ending', `{\n"pets":${ARRAY}}`, /the file contains an object, not an array of animals/],
  ['utf16.csv', Buffer.from(BOM + CSV, 'utf16le'), /the file is in UTF-16: save it as UTF-8/],
  ['utf16-big-endian.csv', Buffer.from(BOM + CSV, 'utf16le').swap16(), /the file is in UTF-16/],
  ['utf16-without-mark.csv', Buffer.from(CSV, 'utf16le'), /the file is in UTF-16/],
  ['workbook.xlsx', WORKBOOK, /the file is a workbook or a ZIP archive: save the sheet as CSV/],
  [
    'pets.csv.gz',
    gzipSync(CSV),
    /the file is compressed: run `gunzip -c .*pets\.csv\.gz \| petstore import -`/,
  ],
  ['pets; rm x.csv.gz', gzipSync(CSV), /run `gunzip -c FILE \| petstore import -`/],
  [
    'capital.csv',
    CSV.replace('name', 'Name'),
    RegExp(`names "Name", .*${REQUIRED} Rename "Name" to name\\.`),
  ],
  [
    'other-names.csv',
    'name;categoryID;category_id\nKitty;1;1\n',
    RegExp(`names "name", "categoryID", "category_id", ${REQUIRED} Rename "categoryID" to categoryId\\.`),
  ],
  ['twice.csv', CSV.replace('status', 'name'), RegExp(REQUIRED)],
  ['other.csv', 'colour,size\nred,1\n', RegExp(`names "colour", "size", ${REQUIRED} The import`)],
  ['empty.csv', '', /the file is empty/],
  ['blank.json', '\n  \r\n\n', /the file is empty/],
  ['cut.json', ARRAY.slice(0, -1), /the element 3 is not valid JSON, or the array does not end/],
  [
    'cut-in-an-element.json',
    ARRAY.slice(0, -9),
    /the element 2 is not valid JSON, or the array does not end/,
  ],
  ['comma.json', `[${OBJECTS.join()},]`, /the element 3 is not valid JSON/],
  ['two-arrays.json', `${ARRAY}${ARRAY}`, /is not valid JSON/],
  ['latin1.json', Buffer.from('[{"name":"Zoë","categoryId":1}]', 'latin1'), /the element 1 is not in UTF-8/],
  ['long.json', `[{"name":"${'x'.repeat(600_000)}"}]`, /the element 1 exceeds 262144 bytes/],
  ['deep.json', `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, /the element 1 nests values too deeply/],
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  return () => database.drop();
});

/** The number of stored animals, when {@link addedPets} was called last. */
let count = 0;

/** Returns the animals that were stored since the last call. */
async function addedPets(): Promise<string[]> {
  const rows = await runSql<{ pet: string }>(
    database,
    `SELECT concat_ws('|', name, category_id, coalesce(status, '')) AS pet FROM pet ORDER BY id`,
  );
  const added = rows.slice(count).map(({ pet }) => pet);
  count = rows.length;
  return added;
}

/** Imports the files of its arguments one after the other, and prints a line about each: the result, or the reason. */
const IMPORT_EACH = `
  import { EventEmitter } from 'node:events';
  import { AppModule } from './dist/src/app.module.js';
  import { petstoreCommand } from './dist/src/commands/petstore.command.js';
  // Each command adds listeners to the process.
  EventEmitter.defaultMaxListeners = Infinity;
  for (const path of process.argv.slice(1)) {
    const command = petstoreCommand(AppModule).parseAsync(['import', path], { from: 'user' });
    await command.catch(({ message }) => console.log(message));
  }`;

describe('in one process, because each start takes more than a second', () => {
  let lines: string[];
  beforeAll(async () => {
    const directory = await mkdtemp(join(inject('runDirectory'), 'files-'));
    const paths = FILES.map(([name]) => join(directory, name));
    for (const [index, [, content]] of FILES.entries()) await writeFile(paths[index] ?? '', content);
    const program = ['--input-type=module', '--eval', IMPORT_EACH, ...paths];
    const env = { ...BASE_ENVIRONMENT, ...database.environment };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, program, { env });
    expect(stderr).toBe('');
    lines = stdout.trimEnd().split('\n');
  });

  test.each(FILES.map(([name, , outcome], index) => ({ name, outcome, index })))(
    '$name is imported, or refused by name',
    ({ outcome, index }) => {
      if (Array.isArray(outcome)) {
        expect(lines[index]).toMatch(RegExp(`^imported ${outcome.length}, refused 0, in \\d+\\.\\d s$`));
      } else {
        expect(lines[index]).toMatch(outcome);
        expect(lines[index]).toMatch(/; no row was imported$/);
      }
    },
  );

  test('all animals of the imported files are stored in their order, and none of the refused ones', async () => {
    expect(await addedPets()).toEqual(
      FILES.flatMap(([, , outcome]) => (Array.isArray(outcome) ? outcome : [])),
    );
    expect(lines).toHaveLength(FILES.length);
  });
});

test('the first character of stdin decides its format', async () => {
  const outcome = await petstore(database.environment, ['import', '-'], OBJECTS.join('\n'));
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(await addedPets()).toEqual([KITTY, BIG]);
});

test('an empty stdin is refused', async () => {
  expect(await petstore(database.environment, ['import', '-'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'petstore: the file is empty; no row was imported\n',
  });
});

test('--dry-run validates all rows, prints the first animals and stores nothing', async () => {
  const rows = Array.from({ length: 7 }, (_, index) => `Pet ${index},${index}\n`).join('');
  const { code, stdout, stderr } = await petstore(
    database.environment,
    ['import', '-', '--dry-run'],
    `name,categoryId\n${rows}Bo,x\n`,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(/^line 9: categoryId must be an integer .*, not "x"\.\n$/);
  const [first, ...others] = stdout.trimEnd().split('\n');
  expect(first).toBe('{"name":"Pet 0","categoryId":0}');
  expect(others).toHaveLength(5);
  expect(others.at(-1)).toMatch(/^would import 7, refused 1, in \d+\.\d s$/);
  expect(await addedPets()).toEqual([]);
});

test.each([
  [
    'csv',
    'name;categoryId;colour\nZoë;x;"r;""1"""\nTom;2;\nBo;y;b\nshort;1\n',
    /^name,categoryId,colour,error\nZoë,x,"r;""1""","?categoryId must be an integer[^\n]*\nBo,y,b,/,
    (text: string) => text.replace('Zoë,x', 'Zoë,1').replace('Bo,y', 'Bo,9223372036854775807'),
    ['Zoë|1|', 'Bo|9223372036854775807|', 'short|1|'],
  ],
  [
    'json',
    '[{"name":"Zoë","categoryId":"x","tags":[9223372036854775807]},{"name":"Tom","categoryId":2},7]',
    /^\{"name":"Zoë","categoryId":"x","tags":\[9223372036854775807\],"error":"categoryId must[^\n]*\n\{"error":"The row must be a JSON object, not a number\.","row":"7"\}\n$/,
    (text: string) => text.replace('"categoryId":"x"', '"categoryId":1').replace(/\n.*\n$/, '\n'),
    ['Zoë|1|'],
  ],
  [
    'ndjson',
    '{"name":"Zoë","categoryId":"x"}\n{"name":"Tom","categoryId":2}\n{"name"\n{}\n',
    /^\{"name":"Zoë","categoryId":"x","error":"categoryId must[^\n]*\n\{"error":"The row is not valid JSON in UTF-8\.","row":"\{\\"name\\""\}\n\{"error":"name is required\. [^\n]*\n$/,
    (text: string) => `${text.replace('"categoryId":"x"', '"categoryId":1').split('\n')[0]}\n`,
    ['Zoë|1|'],
  ],
])(
  '--refused writes the refused rows of %s with their reasons, to be corrected and imported',
  async (format, content, written, correct, corrected) => {
    const directory = await makeDirectoryForTest();
    const [file, refused] = [join(directory, `pets.${format}`), join(directory, 'refused')];
    await writeFile(file, content);
    const { code } = await petstore(database.environment, ['import', file, '--refused', refused]);
    expect(code).toBe(2);
    const text = await readFile(refused, 'utf8');
    expect(text).toMatch(written);
    await writeFile(refused, correct(text));
    expect(await petstore(database.environment, ['import', refused])).toMatchObject({ code: 0, stderr: '' });
    expect(await addedPets()).toEqual(['Tom|2|', ...corrected]);
  },
);

test('--refused does not overwrite a file', async () => {
  const refused = join(await makeDirectoryForTest(), 'refused');
  await writeFile(refused, 'the rows of another import');
  const { stderr } = await petstore(database.environment, ['import', '-', '--refused', refused], CSV);
  expect(stderr).toMatch(/^petstore: cannot write .*: EEXIST.*; no row was imported\n$/);
  expect(await readFile(refused, 'utf8')).toBe('the rows of another import');
});

test('the first refused rows are printed, and the others are counted', async () => {
  const { code, stderr } = await petstore(
    database.environment,
    ['import', '-'],
    `name,categoryId\n${'Bo,x\n'.repeat(50)}`,
  );
  expect(code).toBe(2);
  expect(stderr.match(/^line \d+: .*$/gm)).toHaveLength(20);
  expect(stderr).toMatch(/\n30 more rows were refused\n$/);
});

test.each([
  ['no lines of log', '', /^imported 0, refused 0, in \d+\.\d s\r\n$/],
  ['lines of log with LOG_LEVEL', 'LOG_LEVEL=info', /ran CreatePets[^]*imported 0/],
])('on a terminal, a command prints %s', async (_what, setting, output) => {
  const empty = await createDatabase({ migrated: false });
  try {
    const directory = await makeDirectoryForTest();
    await writeFile(join(directory, 'pets.csv'), 'name,categoryId\n');
    const command = `${setting} ${process.execPath} dist/src/cli.js import ${join(directory, 'pets.csv')}`;
    const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], {
      env: { PATH: process.env['PATH'], ...empty.environment },
    });
    expect(stdout).toMatch(output);
  } finally {
    await empty.drop();
  }
});

/** Characters that a terminal executes, or that reorder a line. */
const HOSTILE = '\u001b[2J\u009b2J\u007f\u202e';
const ESCAPED = String.raw`\u001b[2J\u009b2J\u007f\u202e`;

test.each([
  ['the header of a file', `name${HOSTILE},categoryId\nKitty,1\n`],
  ['a refused row', `name,categoryId,status\nKitty,1,${HOSTILE}\n`],
  ['an animal of a dry run', JSON.stringify([{ name: HOSTILE, categoryId: 1 }])],
])('%s cannot control the terminal', async (_where, content) => {
  const { stdout, stderr } = await petstore(database.environment, ['import', '-', '--dry-run'], content);
  expect(stdout + stderr).toContain(ESCAPED);
  expect(stdout + stderr).not.toMatch(/[\u007f-\u009f\u202e]/);
});
