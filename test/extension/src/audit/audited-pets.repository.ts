import { Injectable } from '@nestjs/common';
import type { Batches, NewPet, Pet, Statement, Transaction } from 'petstore';

import { NicknamedPetsRepository } from '../nicknames/nicknamed-pets.repository.js';

const INSERT: Statement = {
  name: 'audit-entry-insert',
  text: `INSERT INTO audit_entry (account_id, pet_id, action) VALUES ($1, $2, $3)`,
};

/** Stores animals, with an audit entry for each new animal that contains its account. */
@Injectable()
export class AuditedPetsRepository extends NicknamedPetsRepository {
  override insert(pet: NewPet, accountId: bigint | undefined, transaction?: Transaction): Promise<Pet> {
    const work = (within: Transaction) => this.insertAudited(within, pet, accountId, 'added');
    return transaction ? work(transaction) : this.database.transaction(work);
  }

  override insertBatches(batches: Batches<NewPet>): Promise<number> {
    return this.database.transaction(async (transaction) => {
      let count = 0;
      for await (const pets of batches) {
        for (const pet of pets) await this.insertAudited(transaction, pet, undefined, 'imported');
        count += pets.length;
      }
      return count;
    });
  }

  private async insertAudited(
    transaction: Transaction,
    pet: NewPet,
    accountId: bigint | undefined,
    action: string,
  ): Promise<Pet> {
    const inserted = await super.insert(pet, accountId, transaction);
    await transaction.query(INSERT, [accountId, inserted.id, action]);
    return inserted;
  }
}
