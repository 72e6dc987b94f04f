import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { type Outcome, runCommand } from '../support/command.ts';
import { createDatabaseForTest } from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { petstore, petstoreEach, petstoreProcess } from '../support/petstore.ts';

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
/** The first bytes of files that other programs write. */
const WORKBOOK = Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 6, 0]);
const OLD_WORKBOOK = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const SEVEN_ZIP = Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]);
const PARQUET = Buffer.from([0x50, 0x41, 0x52, 0x31, 0x15, 4, 0x15, 0x0e]);

/** The objects as mongoexport writes them by default. */
const MONGO = OBJECTS.map((pet, index) => pet.replace('{', `{"_id":{"$oid":"60${index}"},`)).join('\n');

/** The member of a gzip file, whose last eight bytes are a checksum and a length. */
const PACKED = gzipSync(CSV);

const REQUIRED = 'but must name each of these columns once: name, categoryId.';

type Content = string[] | RegExp;

/** A name, the bytes, and the animals in the file or the reason that is printed. */
const FILES: [file: string, bytes: string | Buffer, content: Content][] = [
  ['commas.csv', CSV, [KITTY, BIG]],
  ['commas-with-mark.csv', BOM + CSV.replaceAll('\n', '\r\n'), [KITTY, BIG]],
  ['semicolons-of-excel.csv', BOM + SEMICOLONS.replaceAll('\n', '\r\n'), [KITTY, BIG]],
  ['semicolons-and-commas-in-names.csv', 'name;categoryId\n"a, b";1\nc, d;2\n', ['a, b|1|', 'c, d|2|']],
  ['tabs.tsv', TABS, [KITTY, BIG]],
  ['blank-lines.csv', `\n  \r\n${CSV}\n\n`, [KITTY, BIG]],
  ['quoted-header.csv', CSV.replace('name', '"name"'), [KITTY, BIG]],
  ['no-end.csv', CSV.trimEnd(), [KITTY, BIG]],
  ['only-header.csv', 'name,categoryId\n', []],
  ['array.json', ARRAY, [KITTY, BIG]],
  ['array-with-mark.json', `${BOM}\n${ARRAY}\n\n`, [KITTY, BIG]],
  ['pretty.json', `[\r\n  ${OBJECTS.join(',\r\n  ')}\r\n]\r\n`, [KITTY, BIG]],
  ['empty-array.json', ' [ ] ', []],
  ['marks-in-texts.json', String.raw`[{"name":"[{,\"\\","categoryId":1}]`, [String.raw`[{,"\|1|`]],
  ['lines.jsonl', `${OBJECTS.join('\r\n')}\r\n`, [KITTY, BIG]],
  ['lines.JSONL', `${BOM}${OBJECTS.join('\n')}\n\n`, [KITTY, BIG]],
  ['lines-without-ending', OBJECTS.join('\n'), [KITTY, BIG]],
  ['semicolons-without-ending', SEMICOLONS, [KITTY, BIG]],
  ['mongoexport.json', MONGO, [KITTY, BIG]],
  ['long-first-line.json', `{"tags":"${'x'.repeat(100_000)}",${MONGO.slice(1)}`, [KITTY, BIG]],
  ['many-blank-lines.csv', `${BOM}${'\r\n'.repeat(100_000)}${CSV}`, [KITTY, BIG]],
  ['pets.csv.gz', PACKED, [KITTY, BIG]],
  ['array-in-gzip', gzipSync(BOM + ARRAY), [KITTY, BIG]],
  ['two-members.gz', Buffer.concat([PACKED, gzipSync('Tom,7,sold\n')]), [KITTY, BIG, 'Tom|7|sold']],
  ['without-the-end-of-the-checksum.gz', PACKED.subarray(0, -1), /the gzip file is cut off or damaged/],
  ['without-the-second-member.gz', Buffer.concat([PACKED, PACKED.subarray(0, 12)]), /is cut off or damaged/],
  [
    'wrong-checksum.gz',
    Buffer.concat([PACKED.subarray(0, -8), Buffer.alloc(8)]),
    /the gzip file is cut off or damaged/,
  ],
  ['workbook.csv.gz', gzipSync(WORKBOOK), /the file is a workbook/],
  ['utf16.csv', Buffer.from(BOM + CSV, 'utf16le'), /the file is in UTF-16: save it as UTF-8/],
  ['utf16-big-endian.csv', Buffer.from(BOM + CSV, 'utf16le').swap16(), /the file is in UTF-16/],
  ['workbook.xlsx', WORKBOOK, /the file is a workbook or a ZIP archive: save the sheet as CSV/],
  ['workbook.xls', OLD_WORKBOOK, /the file is a workbook \(\.xls\): save the sheet as CSV/],
  ['pets.7z', SEVEN_ZIP, /the file is a 7z archive: unpack it/],
  ['pets.parquet', PARQUET, /the file is in Parquet: export it as CSV or NDJSON/],
  ['capital.csv', CSV.replace('name', 'Name'), RegExp(`names "Name", .*${REQUIRED}`)],
  ['other-name.csv', 'name;categoryID\nKitty;1\n', RegExp(`names "name", "categoryID", ${REQUIRED}`)],
  ['twice.csv', CSV.replace('status', 'name'), RegExp(REQUIRED)],
  ['other.csv', 'colour,size\nred,1\n', RegExp(`names "colour", "size", ${REQUIRED} The import`)],
  ['empty.csv', '', /the file is empty/],
  ['blank.json', '\n  \r\n\n', /the file is empty/],
  ['cut.json', ARRAY.slice(0, -1), /the array does not end/],
  ['cut-in-an-element.json', ARRAY.slice(0, -9), /the array does not end/],
  ['comma.json', `[${OBJECTS.join()},]`, /the element 3 is missing/],
  ['closed-by-a-brace.json', `${ARRAY.slice(0, -1)}}`, /the array does not end/],
  ['open-element.json', `[${OBJECTS.join().slice(0, -1)}]`, /the array does not end/],
  ['returns.csv', CSV.replaceAll('\n', '\r'), /the lines end in CR: save the file with LF or CRLF/],
  ['line-break.json', '[{"name":"a\nb","categoryId":1}]', /the element 1 has a line break in a text/],
  ['two-arrays.json', `${ARRAY}${ARRAY}`, /a text follows the array/],
  ['long.json', `[{"name":"${'x'.repeat(600_000)}"}]`, /the element 1 exceeds 262144 bytes/],
];

const PYTHON = `import csv, sys
writer = csv.DictWriter(sys.stdout, ['name', 'categoryId', 'status'], DIALECT)
writer.writeheader()
writer.writerow({'name': 'a, "b"\\n;\\tc', 'categoryId': 2**63 - 1})`;
const python = (dialect: string) => `python3 -c '${PYTHON.replace('DIALECT', dialect)}'`;
const OF_PYTHON = ['a, "b"\n;\tc|9223372036854775807|'];

/** A name, the shell command that writes the file from CSV, and its content. */
const FILES_OF_TOOLS: [file: string, command: string, content: Content][] = [
  ['gzip.csv', 'gzip -c', [KITTY, BIG]],
  [
    'gzip-cut.csv.gz',
    'gzip -c | head -c 60',
    /the gzip file is cut off or damaged \(unexpected end of file\)/,
  ],
  ['bzip2', 'bzip2 -1 -c', /the file is compressed by bzip2: unpack it, and import its content/],
  ['xz', 'xz -c', /the file is compressed by xz: unpack it/],
  ['zstd', 'zstd -q -c', /the file is compressed by zstd: unpack it/],
  ['python.csv', python('"excel"'), OF_PYTHON],
  ['python.tsv', python('"excel-tab"'), OF_PYTHON],
  ['python-unix.csv', python('"unix"'), OF_PYTHON],
  ['sqlite.csv', `sqlite3 -csv -header :memory: "SELECT 'a;b' AS name, 7 AS categoryId"`, ['a;b|7|']],
];
for (const [name, command, outcome] of FILES_OF_TOOLS) {
  const { status, stdout } = spawnSync('bash', ['-o', 'pipefail', '-c', command], { input: CSV });
  // The programs are not installed everywhere.
  if (status === 0) FILES.push([name, stdout, outcome]);
}

/** Returns what `--dry-run` prints about an animal. */
function printed(pet: string): string {
  const [name, categoryId, status] = pet.split('|');
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ''}}\n`;
}

describe('a file of another program', () => {
  let outcomes: Outcome[];
  beforeAll(async () => {
    const directory = await mkdtemp(join(inject('runDirectory'), 'files-'));
    const paths = FILES.map(([name]) => join(directory, name));
    for (const [index, [, content]] of FILES.entries()) await writeFile(paths[index] ?? '', content);
    outcomes = await petstoreEach(
      {},
      paths.map((path) => ['import', '--dry-run', path]),
    );
  });

  test.each(FILES.map(([name, , content], index) => ({ name, content, index })))(
    '$name is read, or refused by name',
    ({ content, index }) => {
      const { stdout = '', stderr } = outcomes[index] ?? {};
      if (Array.isArray(content)) {
        const [summary = ''] = /^would import.*\n/m.exec(stdout) ?? [];
        expect(summary).toMatch(`would import ${content.length}, refused 0, `);
        expect(stdout).toBe(content.map(printed).join('') + summary);
      } else {
        expect(stderr).toMatch(content);
        expect(stderr).toMatch(/; no row was imported\n$/);
      }
    },
  );
});

test('--dry-run validates all rows and prints the first animals, without a database', async () => {
  const DATA_DIR = join(await makeDirectoryForTest(), 'data');
  const rows = Array.from({ length: 7 }, (_, index) => `Pet ${index},${index}\n`).join('');
  const { code, stdout, stderr } = await petstoreProcess(
    { DATA_DIR },
    ['import', '-', '--dry-run'],
    `name,categoryId\n${rows}\n,\nBo,x\n`,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(/^line 11: categoryId must be an integer .*, not "x"\.\n$/);
  const [first, ...others] = stdout.trimEnd().split('\n');
  expect(first).toBe('{"name":"Pet 0","categoryId":0}');
  expect(others).toHaveLength(5);
  expect(others.at(-1)).toMatch(/^would import 7, refused 1, skipped 2 blank, in \d+\.\d s$/);
  expect(existsSync(DATA_DIR)).toBe(false);
});

/** A file with refused rows. */
interface Refusals {
  format: string;
  content: string;
  /** The content of the file of --refused. */
  written: RegExp;
  /** The corrections of that file. */
  corrections: [wrong: string, right: string][];
  /** The animals of the corrected file. */
  corrected: string[];
  /** The number of rows of the corrected file that are refused again. */
  refusedAgain: number;
}

const REFUSALS: Refusals[] = [
  {
    format: 'csv',
    content:
      'name;categoryId;;colour\nZoë;x;;"r;""1"""\nTom;2;;\nBo;y;;b\nshort;1\nlong;1;;red;"sur;plus"\nLatin\u00eb;1;;\n',
    written:
      /^error;name;categoryId;;colour\n[^\n]*not ""x""\.";Zoë;x;;"r;""1"""\n[^\n]*;Bo;y;;b\n[^\n]*;short;1\n[^\n]*;long;1;;red;"sur;plus"\n[^\n]*;Latin\ufffd;1;;\n$/,
    corrections: [
      [';Zoë;x', ';Zoë;1'],
      [';Bo;y', ';Bo;9223372036854775807'],
      ['short;1', 'short;1;;'],
      [';"sur;plus"', ''],
    ],
    corrected: ['Zoë|1|', 'Bo|9223372036854775807|', 'short|1|', 'long|1|'],
    refusedAgain: 1,
  },
  {
    format: 'json',
    content: '[{"name":"Zoë","categoryId":"x","tags":[9223372036854775807]},{"name":"Tom","categoryId":2},7]',
    written:
      /^\{"error":"categoryId must[^\n]*,"name":"Zoë","categoryId":"x","tags":\[9223372036854775807\]\}\n\{"error":"The row must be a JSON object, not a number\.","row":"7"\}\n$/,
    corrections: [['"categoryId":"x"', '"categoryId":1']],
    corrected: ['Zoë|1|'],
    refusedAgain: 1,
  },
  {
    format: 'ndjson',
    content:
      '{"name":"Zoë","categoryId":"x"}\n{"name":"Tom","categoryId":2}\n{"name"\n{"name":"Latin\u00eb","categoryId":1}\n{}\n',
    written:
      /^\{"error":"categoryId must[^\n]*,"name":"Zoë","categoryId":"x"\}\n\{"error":"The row is not valid JSON in UTF-8\.","row":"\{\\"name\\""\}\n\{"error":"The row is not in UTF-8\.","name":"Latin\ufffd","categoryId":1\}\n\{"error":"name is required\. [^\n]*\n$/,
    corrections: [['"categoryId":"x"', '"categoryId":1']],
    corrected: ['Zoë|1|'],
    refusedAgain: 3,
  },
];

test.each(REFUSALS)(
  'the rows of $format in the file of --refused keep their text, and are refused again until they are corrected',
  async ({ format, content, written, corrections, corrected, refusedAgain }) => {
    const directory = await makeDirectoryForTest();
    const file = join(directory, `pets.${format}`);
    const refused = join(directory, 'refused');
    const again = join(directory, 'again');
    // One row has a byte of Latin-1, which is not UTF-8.
    writeFileSync(
      file,
      Buffer.from(content.replace('Latin\u00eb', 'Latin\0')).map((byte) => byte || 0xeb),
    );
    const [first, repeated] = await petstoreEach({}, [
      ['import', file, '--dry-run', '--refused', refused],
      ['import', refused, '--dry-run', '--refused', again],
    ]);
    expect(first?.code).toBe(2);
    expect(first?.stdout).toMatch(/^\{"name":"Tom","categoryId":2\}\nwould import 1, /);
    expect(readFileSync(refused, 'utf8')).toMatch(written);
    expect(repeated?.stdout).toMatch(/^would import 0, /);
    const withoutErrors = (path: string) =>
      readFileSync(path, 'latin1').replaceAll(/(?<="error":)"(?:[^"\\]|\\.)*"/g, '');
    expect(withoutErrors(again)).toBe(withoutErrors(refused));

    const bytesOf = (text: string) => Buffer.from(text).toString('latin1');
    let text = readFileSync(refused, 'latin1');
    for (const [wrong, right] of corrections) text = text.replace(bytesOf(wrong), bytesOf(right));
    writeFileSync(refused, text, 'latin1');
    const { stdout } = await petstore({}, ['import', refused, '--dry-run']);
    const [start] = stdout.split(', in ');
    const summary = `would import ${corrected.length}, refused ${refusedAgain}`;
    expect(start).toBe(corrected.map(printed).join('') + summary);
  },
);

test('a failed import leaves no file of --refused and overwrites none, and the first refused rows are printed', async () => {
  const directory = await makeDirectoryForTest();
  const [file, refused, existing] = ['pets.csv', 'refused', 'existing'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  await writeFile(file, `name,categoryId\n${'Bo,x\n'.repeat(50)}`);
  await writeFile(existing, 'the rows of another import');
  const dryRun = ['import', file, '--dry-run'];
  const [strict, overwriting, first] = await petstoreEach({}, [
    [...dryRun, '--strict', '--refused', refused],
    [...dryRun, '--refused', existing],
    dryRun,
  ]);
  expect(strict).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/; no row was imported\n$/) as string,
  });
  // The same command can be repeated.
  expect(existsSync(refused)).toBe(false);
  expect(overwriting?.stderr).toMatch(/^petstore: cannot write .*: EEXIST.*; no row was imported\n$/);
  expect(await readFile(existing, 'utf8')).toBe('the rows of another import');
  expect(first?.code).toBe(2);
  expect(first?.stderr.match(/^line \d+: .*$/gm)).toHaveLength(20);
  expect(first?.stderr).toMatch(/\n30 more rows were refused\n$/);
});

test.each([
  ['no lines of log', { migrated: true }, '', /^imported 0, refused 0, in \d+\.\d s\r\n$/],
  ['lines of log with LOG_LEVEL', { migrated: false }, 'LOG_LEVEL=info', /ran CreatePets[^]*imported 0/],
])('on a terminal, a command prints %s', async (_what, options, setting, output) => {
  const { environment } = await createDatabaseForTest(options);
  const file = join(await makeDirectoryForTest(), 'pets.csv');
  await writeFile(file, 'name,categoryId\n');
  const command = `${setting} ${process.execPath} dist/src/cli.js import ${file}`;
  expect((await runCommand('script', ['-qec', command, '/dev/null'], environment)).stdout).toMatch(output);
});

/** Characters that a terminal executes, or that reorder a line. */
const HOSTILE = '\u001b[2J\u009b2J\u007f\u202e';
const ESCAPED = String.raw`\u001b[2J\u009b2J\u007f\u202e`;

test('neither the header of a file, a refused row nor an animal of a dry run can control the terminal', async () => {
  const directory = await makeDirectoryForTest();
  const contents = [
    `name${HOSTILE},categoryId\nKitty,1\n`,
    `name,categoryId,status\nKitty,1,${HOSTILE}\n`,
    JSON.stringify([{ name: HOSTILE, categoryId: 1 }]),
  ];
  const commands = contents.map((content, index) => {
    const file = join(directory, `${index}`);
    writeFileSync(file, content);
    return ['import', file, '--dry-run'];
  });
  for (const { stdout, stderr } of await petstoreEach({}, commands)) {
    expect(stdout + stderr).toContain(ESCAPED);
    expect(stdout + stderr).not.toMatch(/[\u007f-\u009f\u202e]/);
  }
});
