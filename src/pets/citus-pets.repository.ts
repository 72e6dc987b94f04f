import { Injectable } from '@nestjs/common';

import type { Distribution } from '../database/citus/distribute.js';
import type { Session, Statement } from '../database/session.js';
import { Page } from '../pagination/page.js';
import type { NewPet, Pet, PetPageRequest } from './pet.dto.js';
import { PetsRepository, startOf } from './pets.repository.js';

export const PET_DISTRIBUTION: Distribution = { table: 'pet', column: 'id' };

/**
 * Stores animals on Citus. Each request for a row sends its own statement, which Citus routes to the worker of the row.
 * Equal requests for a page share a statement, which asks every shard.
 */
@Injectable()
export class CitusPetsRepository extends PetsRepository {
  /** @internal */
  protected override async insertOne(pet: NewPet): Promise<Pet> {
    const [inserted] = await this.insertAll(this.database, [pet]);
    if (!inserted) throw new Error('the insert returned no animal');
    return inserted;
  }

  /** @internal */
  protected override async findOne(id: bigint): Promise<Pet | undefined> {
    const text = `SELECT ${this.table.columns} FROM pet WHERE id = $1`;
    const rows = await this.database.query<Pet>({ name: 'pet-get-one', text }, [id]);
    return this.table.withoutNulls(rows)[0];
  }

  /** @internal */
  protected override listAll(
    session: Session,
    _statement: Statement,
    requests: PetPageRequest[],
  ): Promise<Page<Pet>[]> {
    const pages = new Map<string, Promise<Page<Pet>>>();
    return Promise.all(
      requests.map((request) => {
        const key = `${startOf(request)} ${request.limit}`;
        const page = pages.get(key) ?? this.readPage(session, request);
        pages.set(key, page);
        return page;
      }),
    );
  }

  private async readPage(session: Session, { status, after, limit }: PetPageRequest): Promise<Page<Pet>> {
    const condition = status === undefined ? 'id > $1' : 'status = $3 AND id > $1';
    const text = `SELECT ${this.table.columns} FROM pet WHERE ${condition} ORDER BY id LIMIT $2`;
    const name = status === undefined ? 'pet-list-one' : 'pet-list-one-by-status';
    const values = [after, limit + 1, ...(status === undefined ? [] : [status])];
    return Page.from(this.table.withoutNulls(await session.query<Pet>({ name, text }, values)), limit);
  }

  /** @internal */
  protected override async insertAll(session: Session, pets: readonly NewPet[]): Promise<Pet[]> {
    const { text, values } = this.table.insertValues(pets);
    const statement = {
      name: 'pet-insert',
      text: `${text} RETURNING ${this.table.columns}`,
      // The text of an import depends on the number of rows.
      varies: pets.length > 1,
    };
    return this.table.withoutNulls(await session.query<Pet>(statement, values));
  }
}
