import { Command, Option } from 'commander';

import type { Composition } from '../app.module.js';
import { importPets } from './import/import-pets.js';
import { Progress } from './import/progress.js';
import { type Format, FORMATS, openSource } from './import/source.js';
import { PetsService } from '../pets/pets.service.js';
import { withServices } from './with-services.js';

/** The exit code when the import went through, but not all of its rows. */
const SOME_REFUSED = 2;

const HELP = `
Formats:
  csv      a header that names the columns, name and categoryId and, if wanted, status; others are ignored
  ndjson   a NewPet in JSON on each line

The rows are added in their order, by the rules of the API. A bad one is reported on stderr with its line number,
and the rest goes on. With --strict the first bad one ends the import, and nothing of it is kept.

Exit codes:
  0  all rows were imported
  1  the import failed; without --strict, the animals it has counted are there
  2  the import went through, and some rows were refused`;

/** `petstore import` */
export const importCommand = (composition: Composition) =>
  new Command('import')
    .description('add the animals of a file')
    .argument('<file>', 'the file, or - for stdin')
    .addOption(
      new Option('--format <format>', 'the format, where neither the name nor the content tells it').choices(
        FORMATS,
      ),
    )
    .option('--strict', 'import all rows or none')
    .addHelpText('after', HELP)
    .action(async (file: string, { format, strict = false }: { format?: Format; strict?: boolean }) => {
      const source = await openSource(file, format);
      await withServices(composition, async (services) => {
        const progress = new Progress(source);
        try {
          await importPets(services.get(PetsService), source.rows, progress, strict);
        } finally {
          progress.stop();
          console.log(String(progress));
        }
        if (progress.refused > 0) process.exitCode = SOME_REFUSED;
      });
    });
