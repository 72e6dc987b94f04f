import type { Transaction } from '../database/transaction.js';
import type { Batches } from '../domain/batches.js';
import type { Page } from '../pagination/page.js';
import type { NewPet, Pet, PetPageRequest } from './pet.dto.js';

/** Stores animals. Later reads include the animals that were added. */
export abstract class PetsRepository {
  /**
   * Adds an animal.
   *
   * @param accountId the account that adds the animal, or undefined for an import
   * @param transaction the transaction that adds the animal. Default: one of its own
   */
  abstract insert(pet: NewPet, accountId: bigint | undefined, transaction?: Transaction): Promise<Pet>;

  /** Adds all animals or none, with ids in the given order. Returns the number of animals. */
  abstract insertBatches(batches: Batches<NewPet>): Promise<number>;

  /**
   * @param transaction the transaction that reads the animal. A read outside of it waits for another connection, and
   * fails if none is free in time
   */
  abstract find(id: bigint, transaction?: Transaction): Promise<Pet | undefined>;

  /** Returns a page of animals in the order of their ids. Concurrent calls may return the same object. */
  abstract list(request: PetPageRequest): Promise<Page<Pet>>;
}
