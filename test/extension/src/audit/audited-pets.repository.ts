import { Injectable } from '@nestjs/common';
import {
  type Batches,
  Database,
  type NewPet,
  type Page,
  type Pet,
  type PetSlice,
  PetsRepository,
  PostgresPetsRepository,
  type Statement,
  type Transaction,
} from 'petstore';

const INSERT: Statement = {
  name: 'audit-entry-insert',
  text: `INSERT INTO audit_entry (account_id, pet_id, action) VALUES ($1, $2, $3)`,
};

/** The animals in their table, each of which comes with an entry that tells who added it. */
@Injectable()
export class AuditedPetsRepository extends PetsRepository {
  constructor(
    private readonly pets: PostgresPetsRepository,
    private readonly database: Database,
  ) {
    super();
  }

  override insert(pet: NewPet, accountId: bigint | undefined, transaction?: Transaction): Promise<Pet> {
    const work = (within: Transaction) => this.insertWithin(within, pet, accountId, 'added');
    return transaction ? work(transaction) : this.database.transaction(work);
  }

  override insertBatches(batches: Batches<NewPet>): Promise<number> {
    return this.database.transaction(async (transaction) => {
      let count = 0;
      for await (const pets of batches) {
        for (const pet of pets) await this.insertWithin(transaction, pet, undefined, 'imported');
        count += pets.length;
      }
      return count;
    });
  }

  override find(id: bigint, transaction?: Transaction): Promise<Pet | undefined> {
    return this.pets.find(id, transaction);
  }

  override list(slice: PetSlice, accountId: bigint): Promise<Page<Pet>> {
    return this.pets.list(slice, accountId);
  }

  private async insertWithin(
    transaction: Transaction,
    pet: NewPet,
    accountId: bigint | undefined,
    action: string,
  ): Promise<Pet> {
    const inserted = await this.pets.insert(pet, accountId, transaction);
    await transaction.query(INSERT, [accountId, inserted.id, action]);
    return inserted;
  }
}
