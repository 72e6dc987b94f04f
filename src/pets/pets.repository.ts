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
   * @param transaction the transaction that adds the animal. Default: one of its own
   */
  abstract insert(pet: NewPet, accountId: bigint | undefined, transaction?: Transaction): Promise<Pet>;

  /** Adds all animals or none, with ids in the order given, and returns how many there were. */
  abstract insertBatches(batches: Batches<NewPet>): Promise<number>;

  /** @param transaction the transaction that reads the animal. Inside of one, no other connection may come free */
  abstract find(id: bigint, transaction?: Transaction): Promise<Pet | undefined>;

  /** A page of animals in the order of ids. Those who ask for the same page may get the same object. */
  abstract list(slice: PetSlice, accountId: bigint): Promise<Page<Pet>>;
}
