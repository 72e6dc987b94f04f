import type { DynamicModule, Type } from '@nestjs/common';
import { type Command, Option } from 'commander';

import { PetsService } from '../pets/pets.service.js';
import { createCommand } from './create-command.js';
import { reportError } from './exit-with-error.js';
import { importPets } from './import/import-pets.js';
import { withInterruption } from './import/interruption.js';
import { Progress } from './import/progress.js';
import { type Format, FORMATS, openSource } from './import/source.js';
import { print } from './output.js';
import { withServices } from './with-services.js';

/** The exit code of a complete import with refused rows. */
const ROWS_REFUSED = 2;

const HELP = `
Formats:
  csv      a header that names the columns name, categoryId and, optionally, status; other columns are ignored
  ndjson   a NewPet in JSON on each line

The rows are validated like requests to the API, and added in their order. An invalid row is reported on stderr with its
line number, and the import continues. With --strict, the first invalid row ends the import, and no row is imported.

Exit codes:
  0  all rows were imported
  1  the import failed or was interrupted; without --strict, the summary counts the animals that were imported
  2  the import is complete, but some rows were refused`;

interface Options {
  format?: Format;
  strict?: boolean;
}

/** `petstore import` */
export const importCommand = (root: Type | DynamicModule): Command =>
  createCommand('import')
    .description('import animals from a file')
    .argument('<file>', 'the file, or - for stdin')
    .addOption(
      new Option('--format <format>', 'the format, if neither the name nor the content shows it').choices(
        FORMATS,
      ),
    )
    .option('--strict', 'import all rows or none')
    .addHelpText('after', HELP)
    .action((file: string, { format, strict = false }: Options) =>
      withInterruption(async (signal) => {
        const source = await openSource(file, signal, format);
        await withServices(root, async (services) => {
          const progress = new Progress(source);
          try {
            await importPets(services.get(PetsService), source.rows, progress, { strict, signal });
          } finally {
            progress.stop();
            // The exit code describes the import, so an error of stdout must not change it.
            await print(String(progress)).catch(reportError);
          }
          if (progress.refused > 0) process.exitCode = ROWS_REFUSED;
        });
      }),
    );
