import type { NewPet } from '../../pets/pet.dto.js';
import type { PetsService } from '../../pets/pets.service.js';
import { ImportError } from './import-error.js';
import type { Progress } from './progress.js';
import type { Row } from './row.js';

/** What is written at once: so many animals, or with names of so many characters. */
const BATCH_ANIMALS = 1000;
const BATCH_CHARACTERS = 1024 * 1024;

/**
 * Adds the animals of the rows, in their order, batch by batch. A bad row is told to `progress` and left out.
 *
 * @param strict a bad row ends the import, and nothing of it is kept
 */
export async function importPets(
  pets: PetsService,
  rows: AsyncIterable<Row>,
  progress: Progress,
  strict: boolean,
): Promise<void> {
  const batches = inBatches(animalsOf(rows, progress, strict));
  if (strict) {
    progress.imported += await pets.createAll(batches);
    return;
  }
  for await (const batch of batches) progress.imported += await pets.createAll([batch]);
}

async function* animalsOf(
  rows: AsyncIterable<Row>,
  progress: Progress,
  strict: boolean,
): AsyncGenerator<NewPet> {
  for await (const row of rows) {
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
