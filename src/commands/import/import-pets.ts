import type { NewPet } from '../../pets/pet.dto.js';
import type { PetsService } from '../../pets/pets.service.js';
import { ImportError } from './import-error.js';
import type { Progress } from './progress.js';
import type { Row } from './row.js';

/** The limits of a batch, which one statement inserts: the number of animals, and the total length of their names. */
const BATCH_ANIMALS = 250;
const BATCH_CHARACTERS = 64 * 1024;

interface Options {
  /** Whether an invalid row ends the import, without importing any row. */
  strict: boolean;
  /** Aborts the import. */
  signal: AbortSignal;
}

/**
 * Adds the animals of the rows in their order, batch by batch, and counts them in `progress`. Skips invalid rows and
 * reports them to `progress`.
 *
 * @throws ImportError at an invalid row, if `strict`; the reason of `signal`, if it is aborted
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
  for await (const row of rows) {
    signal.throwIfAborted();
    progress.advance();
    if ('pet' in row) {
      yield row.pet;
    } else {
      progress.refuse(row.line, row.reason);
      if (strict) throw new ImportError(`stopped at line ${row.line}; no row was imported`);
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
