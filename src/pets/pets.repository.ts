import type { Transaction } from '../database/transaction.js';
import type { Batches } from '../domain/batches.js';
import type { Page } from '../domain/page.js';
import type { NewPet, Pet, PetStatus } from './pet.dto.js';

/** Which part of the list of animals: up to `limit` of them, of a status if one is given, after an id. */
export interface PetSlice {
  readonly status: PetStatus | undefined;
  readonly after: bigint;
  readonly limit: number;
}

/** Where the animals are kept. An animal that was added is in whatever is read from then on. */
export abstract class PetsRepository {
  /**
   * Adds an animal.
   *
   * @param accountId for whom; undefined: for nobody, as an import does
   * @param transaction what the animal comes with; without one, it comes for itself
   */
  abstract insert(pet: NewPet, accountId: bigint | undefined, transaction?: Transaction): Promise<Pet>;

  /** Adds all animals or none, with ids in the order given; tells how many there were. */
  abstract insertBatches(batches: Batches<NewPet>): Promise<number>;

  abstract find(id: bigint): Promise<Pet | undefined>;

  /** A page of animals in the order of ids. Those who ask for the same page may get the same object. */
  abstract list(slice: PetSlice, accountId: bigint): Promise<Page<Pet>>;
}
