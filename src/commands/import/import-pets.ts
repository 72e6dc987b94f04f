import type { NewPet } from '../../pets/pet.dto.js';
import type { PetsService } from '../../pets/pets.service.js';
import { ImportError } from './import-error.js';
import { Pace } from './pace.js';
import type { Progress } from './progress.js';
import type { Row } from './row.js';

/** One statement adds so many animals, or fewer when their names have so many characters together. */
const BATCH_ANIMALS = 250;
const BATCH_CHARACTERS = 64 * 1024;

interface Options {
  /** A bad row ends the import, and nothing of it is kept. */
  strict: boolean;
  /** Ends the import when it is aborted. */
  signal: AbortSignal;
}

/**
 * Adds the animals of the rows in their order, batch by batch, and counts them in `progress`. Bad rows are reported to
 * `progress` and left out.
 *
 * @throws ImportError at a bad row, if `strict`; the reason of `signal` when it is aborted
 */
export async function importPets(
  pets: PetsService,
  rows: AsyncIterable<Row>,
  progress: Progress,
  options: Options,
): Promise<void> {
  const batches = inBatches(animalsOf(rows, progress, options));
  if (options.strict) {
    progress.imported += await pets.createAll(batches);
    return;
  }
  for await (const batch of batches) progress.imported += await pets.createAll([batch]);
}

async function* animalsOf(
  rows: AsyncIterable<Row>,
  progress: Progress,
  { strict, signal }: Options,
): AsyncGenerator<NewPet> {
  const pace = new Pace();
  for await (const row of rows) {
    await pace.keep();
    signal.throwIfAborted();
    progress.advance();
    if ('pet' in row) {
      yield row.pet;
    } else {
      progress.refuse(row.line, row.reason);
      if (strict) throw new ImportError(`stopped at line ${row.line}, and nothing was imported`);
    }
  }
}

async function* inBatches(animals: AsyncIterable<NewPet>): AsyncGenerator<NewPet[]> {
  let batch: NewPet[] = [];
  let characters = 0;
  for await (const animal of animals) {
    batch.push(animal);
    characters += animal.name.length;
    if (batch.length < BATCH_ANIMALS && characters < BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
