import { Injectable } from '@nestjs/common';
import {
  Batch,
  type NewPet,
  Page,
  type Pet,
  type PetPageRequest,
  PostgresPetsRepository,
  type Session,
  type Statement,
  type Transaction,
} from 'petstore';

import { NewNicknamedPet, NicknamedPet } from './nicknamed-pet.dto.js';

const SET: Statement = {
  name: 'pet-nicknames-set',
  text: `UPDATE pet SET shop_nicknames = $2 WHERE id = $1`,
};

const GET: Statement = {
  name: 'pet-nicknames-get',
  text: `SELECT id, shop_nicknames AS nicknames FROM pet
         WHERE id = ANY($1::bigint[]) AND shop_nicknames IS NOT NULL`,
};

interface NicknamesRow {
  id: bigint;
  nicknames: string[];
}

/** The animals in their table, with nicknames. */
@Injectable()
export class NicknamedPetsRepository extends PostgresPetsRepository {
  /** Requests that arrive at about the same time share a statement. */
  private readonly nicknames = new Batch('pet-nicknames-get', async (ids: bigint[]) => {
    const nicknames = await this.findNicknames(ids, this.database.batchSession);
    return ids.map((id) => nicknames.get(id));
  });

  override insert(pet: NewPet, accountId?: bigint, transaction?: Transaction): Promise<Pet> {
    if (!(pet instanceof NewNicknamedPet) || !pet.nicknames) return super.insert(pet, accountId, transaction);
    const { nicknames } = pet;
    const work = async (within: Transaction) => {
      const added = await super.insert(pet, accountId, within);
      await within.query(SET, [added.id, nicknames]);
      return withNicknames(added, nicknames);
    };
    return transaction ? work(transaction) : this.database.transaction(work);
  }

  override async find(id: bigint, transaction?: Transaction): Promise<Pet | undefined> {
    const pet = await super.find(id, transaction);
    if (!pet) return undefined;
    const nicknames = transaction
      ? (await this.findNicknames([id], transaction)).get(id)
      : await this.nicknames.add(id);
    return withNicknames(pet, nicknames);
  }

  override async list(request: PetPageRequest): Promise<Page<Pet>> {
    const { items, nextAfter } = await super.list(request);
    const nicknames = await this.findNicknames(items.map(({ id }) => id));
    return new Page(
      items.map((pet) => withNicknames(pet, nicknames.get(pet.id))),
      nextAfter,
    );
  }

  private async findNicknames(
    ids: bigint[],
    session: Session = this.database,
  ): Promise<Map<bigint, string[]>> {
    const rows = await session.query<NicknamesRow>(GET, [ids]);
    return new Map(rows.map(({ id, nicknames }) => [id, nicknames]));
  }
}

/** Several responses may share a `Pet`, so it is copied. */
function withNicknames(pet: Pet, nicknames: string[] | undefined): NicknamedPet {
  return Object.assign(new NicknamedPet(), pet, nicknames && { nicknames });
}
