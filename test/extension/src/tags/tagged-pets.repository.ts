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

import { NewTaggedPet, TaggedPet } from './tagged-pet.dto.js';

const SET: Statement = {
  name: 'pet-tags-set',
  text: `UPDATE pet SET tags = $2 WHERE id = $1`,
};

const GET: Statement = {
  name: 'pet-tags-get',
  text: `SELECT id, tags FROM pet WHERE id = ANY($1::bigint[]) AND tags IS NOT NULL`,
};

interface TagsRow {
  id: bigint;
  tags: string[];
}

/** The animals in their table, with tags. */
@Injectable()
export class TaggedPetsRepository extends PostgresPetsRepository {
  /** Requests that arrive at about the same time share a statement. */
  private readonly tags = new Batch('pet-tags-get', async (ids: bigint[]) => {
    const tags = await this.findTags(ids, this.database.batchSession);
    return ids.map((id) => tags.get(id));
  });

  override insert(pet: NewPet, accountId?: bigint, transaction?: Transaction): Promise<Pet> {
    if (!(pet instanceof NewTaggedPet) || !pet.tags) return super.insert(pet, accountId, transaction);
    const { tags } = pet;
    const work = async (within: Transaction) => {
      const added = await super.insert(pet, accountId, within);
      await within.query(SET, [added.id, tags]);
      return withTags(added, tags);
    };
    return transaction ? work(transaction) : this.database.transaction(work);
  }

  override async find(id: bigint, transaction?: Transaction): Promise<Pet | undefined> {
    const pet = await super.find(id, transaction);
    if (!pet) return undefined;
    const tags = transaction ? (await this.findTags([id], transaction)).get(id) : await this.tags.add(id);
    return withTags(pet, tags);
  }

  override async list(request: PetPageRequest): Promise<Page<Pet>> {
    const { items, nextAfter } = await super.list(request);
    const tags = await this.findTags(items.map(({ id }) => id));
    return new Page(
      items.map((pet) => withTags(pet, tags.get(pet.id))),
      nextAfter,
    );
  }

  private async findTags(ids: bigint[], session: Session = this.database): Promise<Map<bigint, string[]>> {
    const rows = await session.query<TagsRow>(GET, [ids]);
    return new Map(rows.map(({ id, tags }) => [id, tags]));
  }
}

/** Several responses may share a `Pet`, so it is copied. */
function withTags(pet: Pet, tags: string[] | undefined): TaggedPet {
  return Object.assign(new TaggedPet(), pet, tags && { tags });
}
