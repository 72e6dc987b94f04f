import { Injectable } from '@nestjs/common';

import type { Transaction } from '../database/transaction.js';
import { NotFound } from '../domain/errors.js';
import type { Page } from '../pagination/page.js';
import type { ListPetsQuery, NewPet, Pet } from './pet.dto.js';
import { type Batches, PetsRepository } from './pets.repository.js';

/** The rules about animals. */
@Injectable()
export class PetsService {
  constructor(private readonly pets: PetsRepository) {}

  /** Returns a page of animals in the order of their ids. It contains the animals that the account has added. */
  list(accountId: bigint, query: ListPetsQuery): Promise<Page<Pet>> {
    return this.pets.list(accountId, query);
  }

  /** Adds an animal, for an account. */
  create(accountId: bigint, pet: NewPet, transaction?: Transaction): Promise<Pet> {
    return this.pets.insert(accountId, pet, transaction);
  }

  /** Adds all animals or none, in the given order. Returns the number of animals. */
  createAll(batches: Batches): Promise<number> {
    return this.pets.insertBatches(batches);
  }

  /** @throws NotFound */
  async get(accountId: bigint, id: bigint, transaction?: Transaction): Promise<Pet> {
    const pet = await this.pets.find(accountId, id, transaction);
    if (!pet) throw new NotFound('animal', id);
    return pet;
  }
}
