import { isUtf8 } from 'node:buffer';

import type { DynamicModule, Type } from '@nestjs/common';
import { type Command, Option } from 'commander';

import { InvalidRequest } from '../../domain/errors.js';
import { parseJsonBody } from '../../http/body.guard.js';
import { RequestValidationPipe } from '../../http/validation/validation.pipe.js';
import { NEW_PET, type NewPet } from '../../pets/pet.dto.js';
import { PetsService } from '../../pets/pets.service.js';
import { withServices } from '../with-services.js';
import { Columns } from './columns.js';
import { ImportStopped, readRows, type Row } from './read-rows.js';

const ROWS_REFUSED = 2;

/** The limits of a batch, which one statement inserts. */
const BATCH_ROWS = 250;
const BATCH_BYTES = 256 * 1024;

const HELP = `
Formats:
  csv      a header that names the fields of NewPet, such as name,categoryId,status, and a row on each line.
           Other columns are ignored. An empty field of an optional column is absent
  ndjson   a NewPet in JSON on each line

The rows are validated like requests to the API, and added in their order, in one transaction. An invalid row is reported
on stderr with its line number, and skipped. With --strict, it ends the import. A row of more than 256 KiB or with
invalid quotes always ends the import.

Exit codes:
  0  all rows were imported
  1  the import failed or was interrupted, and no row was imported
  2  the valid rows were imported, and the others were refused`;

/** Adds `petstore import`. */
export const addImport = (petstore: Command, root: Type | DynamicModule): Command =>
  petstore
    .command('import')
    .description('import animals from a file')
    .argument('<file>', 'the file, or - for stdin')
    .addOption(
      new Option('--format <format>', 'default: ndjson for *.ndjson, or else csv').choices(['csv', 'ndjson']),
    )
    .option('--strict', 'import all rows or none')
    .addHelpText('after', HELP)
    .action((path: string, { format, strict = false }: { format?: string; strict?: boolean }) =>
      withServices(root, async (services) => {
        let refused = 0;
        const refuse = (line: number, reason: string) => {
          refused++;
          process.stderr.write(`line ${line}: ${reason}\n`);
          if (strict) throw new ImportStopped(`stopped at line ${line}`);
        };
        const dto = services.get<Type<NewPet>>(NEW_PET);
        const isNdjson = format ? format === 'ndjson' : /\.ndjson$/i.test(path);
        const rows = readRows(path, isNdjson ? undefined : new Columns(dto), interruption());
        const imported = await services.get(PetsService).createAll(readPets(rows, dto, refuse));
        // Set before the summary, so that an error of stdout does not change it.
        process.exitCode = refused > 0 ? ROWS_REFUSED : 0;
        console.log(`imported ${imported}, refused ${refused}`);
      }),
    );

/** Returns a signal that SIGINT and SIGTERM abort. npm repeats the SIGINT of a terminal, so further ones are ignored. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.on(name, () => controller.abort(new ImportStopped(`interrupted by ${name}`)));
  }
  return controller.signal;
}

/** Validates rows like the bodies of requests, and collects them in batches. Calls `refuse` for each invalid row. */
async function* readPets(
  rows: AsyncIterable<Row>,
  dto: Type<NewPet>,
  refuse: (line: number, reason: string) => void,
): AsyncGenerator<NewPet[]> {
  let batch: NewPet[] = [];
  let bytes = 0;
  for await (const { line, json } of rows) {
    try {
      batch.push(await toPet(json, dto));
      bytes += json?.length ?? 0;
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      refuse(line, error.message.replace('The body', 'The row'));
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
