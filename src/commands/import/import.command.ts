import { isUtf8 } from 'node:buffer';

import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Command } from 'commander';

import { OperatorError } from '../../config/config.errors.js';
import { isDatabaseUnavailable } from '../../database/database-unavailable.js';
import { InvalidRequest, messageOf } from '../../domain/errors.js';
import { stringifyJson } from '../../domain/json.js';
import { parseJsonBody } from '../../http/body.guard.js';
import { toErrorResponse } from '../../http/errors/error-response.js';
import { RequestValidationPipe } from '../../http/validation/validation.pipe.js';
import { NEW_PET, type NewPet } from '../../pets/pet.dto.js';
import { PetsService } from '../../pets/pets.service.js';
import { describe } from '../exit-with-error.js';
import { toPrintable } from '../output.js';
import { withServices } from '../with-services.js';
import { Columns } from './columns.js';
import { ImportStopped, openInput, type Row } from './input.js';
import { readArray } from './read-array.js';
import { readRows } from './read-rows.js';
import { RefusedRows } from './refused-rows.js';

const ROWS_REFUSED = 2;

/** The limits of a batch, which one statement inserts. */
const BATCH_ROWS = 250;
const BATCH_BYTES = 256 * 1024;

const PROGRESS_ROWS = 10_000;

const PRINTED_REFUSALS = 20;

const PRINTED_PETS = 5;

const HELP = `
Formats, which the first character decides:
  csv      a header that names the fields of NewPet, such as name,categoryId,status, and a row on each line
  ndjson   a NewPet in JSON on each line
  json     an array of NewPets

Exit codes:
  0  all rows were imported
  1  the import failed or was interrupted, and no row was imported, unless the message says that this is unknown
  2  the valid rows were imported, and the others were refused`;

interface ImportOptions {
  readonly strict?: boolean;
  readonly dryRun?: boolean;
  readonly refused?: string;
}

export const addImport = (petstore: Command, root: Type | DynamicModule): Command =>
  petstore
    .command('import')
    .description('import animals from a file')
    .argument('<file>', 'the file, or - for stdin')
    .option('--strict', 'import all rows or none')
    .option('--dry-run', 'read and validate all rows, and import none')
    .option('--refused <file>', 'write the refused rows with their reasons to a new file')
    .addHelpText('after', HELP)
    .action((path: string, options: ImportOptions) => run(root, path, options));

async function run(root: Type | DynamicModule, path: string, options: ImportOptions): Promise<void> {
  if (options.dryRun) {
    // Without the providers, so that no database is needed.
    const services = await NestFactory.createApplicationContext(root, { preview: true, logger: false });
    return importFile(services.get(NEW_PET), path, options, async (pets) => {
      return `would import ${await countPets(pets)}`;
    });
  }
  const work = withServices(root, (services) =>
    importFile(services.get(NEW_PET), path, options, async (pets) => {
      return `imported ${await services.get(PetsService).createAll(pets)}`;
    }),
  );
  await work.catch((error: unknown) => {
    throw error instanceof OperatorError ? error : new ImportStopped(describe(error));
  });
}

async function importFile(
  dto: Type<NewPet>,
  path: string,
  { strict = false, refused: refusedPath }: ImportOptions,
  add: (pets: AsyncIterable<NewPet[]>) => Promise<string>,
): Promise<void> {
  const startedAt = performance.now();
  const input = await openInput(path, interruption());
  const refusedRows = refusedPath === undefined ? undefined : new RefusedRows(refusedPath);
  const progress = { refused: 0, skipped: 0, isRead: false };
  const refuse = (row: Row, reason: string) => {
    progress.refused++;
    if (progress.refused <= PRINTED_REFUSALS) process.stderr.write(`${row.place}: ${toPrintable(reason)}\n`);
    refusedRows?.add(row, reason);
    if (strict) throw new ImportStopped(`stopped at ${row.place}`);
  };
  const skip = () => progress.skipped++;
  const readAll = async function* () {
    const columns = input.format === 'csv' ? new Columns(dto) : undefined;
    const rows = input.format === 'json' ? readArray(input.content) : readRows(input, skip, columns);
    yield* readPets(rows, dto, refuse);
    progress.isRead = true;
  };
  try {
    const done = await add(readAll());
    const { refused, skipped } = progress;
    if (refused > PRINTED_REFUSALS) {
      process.stderr.write(`${refused - PRINTED_REFUSALS} more rows were refused\n`);
    }
    // Set before the summary, so that an error of stdout does not change it.
    process.exitCode = refused > 0 ? ROWS_REFUSED : 0;
    const blank = skipped > 0 ? `, skipped ${skipped} blank` : '';
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${done}, refused ${refused}${blank}, in ${seconds} s`);
    refusedRows?.close();
  } catch (error) {
    if (progress.isRead && isDatabaseUnavailable(error)) {
      const lost = `the connection was lost during the commit: ${messageOf(error)}`;
      throw new OperatorError(
        `${lost}; all rows but the refused were imported, or none, so look before you repeat it`,
      );
    }
    refusedRows?.remove();
    throw error;
  }
}

/** Counts the animals, and prints the first of them as they would be stored. */
async function countPets(batches: AsyncIterable<NewPet[]>): Promise<number> {
  let count = 0;
  for await (const pets of batches) {
    for (const pet of pets.slice(0, Math.max(0, PRINTED_PETS - count)))
      console.log(toPrintable(stringifyJson(pet)));
    count += pets.length;
  }
  return count;
}

/** Returns a signal that SIGINT, SIGTERM and SIGHUP abort. npm repeats the SIGINT of a terminal, so further ones are ignored. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(name, () => controller.abort(new ImportStopped(`interrupted by ${name}`)));
  }
  return controller.signal;
}

/** Validates rows like the bodies of requests, and collects them in batches. Calls `refuse` for each invalid row, and reports the progress. */
async function* readPets(
  rows: AsyncIterable<Row>,
  dto: Type<NewPet>,
  refuse: (row: Row, reason: string) => void,
): AsyncGenerator<NewPet[]> {
  let batch: NewPet[] = [];
  let bytes = 0;
  let count = 0;
  for await (const row of rows) {
    if (++count % PROGRESS_ROWS === 0) process.stderr.write(`${count} rows read\n`);
    try {
      batch.push(await toPet(row.json, dto));
      bytes += row.json?.length ?? 0;
    } catch (error) {
      const { status, message } = toErrorResponse(error).body;
      if (status !== 400) throw error;
      refuse(row, message.replace('The body', 'The row'));
    }
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const pipe = new RequestValidationPipe();

async function toPet(json: Buffer | undefined, metatype: Type<NewPet>): Promise<NewPet> {
  if (!json) throw new InvalidRequest('The row does not have one field for each column of the header.');
  if (!isUtf8(json)) throw new InvalidRequest('The row is not in UTF-8.');
  return (await pipe.transform(parseJsonBody(json), { type: 'body', metatype })) as NewPet;
}
