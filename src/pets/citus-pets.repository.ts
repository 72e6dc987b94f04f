import { Injectable } from '@nestjs/common';

import { CoordinatorIds } from '../database/citus/coordinator.js';
import type { Session, Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import { Page } from '../pagination/page.js';
import type { ListPetsQuery, NewPet, Pet } from './pet.dto.js';
import { PetsRepository } from './pets.repository.js';

/**
 * Stores animals on Citus. Each request for a row sends its own statement, which Citus routes to the worker of the row.
 * Equal requests for a page share a statement, which asks every shard. The coordinator assigns the ids.
 */
@Injectable()
export class CitusPetsRepository extends PetsRepository {
  private readonly ids = new CoordinatorIds(this.database, 'pet');

  override async insert(pet: NewPet, _accountId: bigint, transaction?: Transaction): Promise<Pet> {
    const id = await this.ids.next();
    const [inserted] = await this.insertWithIds(transaction ?? this.database, [pet], [id]);
    if (!inserted) throw new Error('the insert returned no animal');
    return inserted;
  }

  override async find(id: bigint, transaction?: Transaction): Promise<Pet | undefined> {
    const text = `SELECT ${this.table.columns} FROM pet WHERE id = $1`;
    const session = transaction ?? this.database;
    return this.table.withoutNulls(await session.query<Pet>({ name: 'pet-get', text }, [id]))[0];
  }

  /** @internal */
  protected override listAll(
    session: Session,
    _statement: Statement,
    queries: ListPetsQuery[],
  ): Promise<Page<Pet>[]> {
    return Promise.all(queries.map((query) => this.readPage(session, query)));
  }

  private async readPage(session: Session, { status, after, limit }: ListPetsQuery): Promise<Page<Pet>> {
    const condition = status === undefined ? 'id > $1' : 'status = $3 AND id > $1';
    const text = `SELECT ${this.table.columns} FROM pet WHERE ${condition} ORDER BY id LIMIT $2`;
    const name = status === undefined ? 'pet-list-one' : 'pet-list-one-by-status';
    const values = [after, limit + 1, ...(status === undefined ? [] : [status])];
    return Page.from(this.table.withoutNulls(await session.query<Pet>({ name, text }, values)), limit);
  }

  /** @internal */
  protected override async insertAll(session: Session, pets: readonly NewPet[]): Promise<Pet[]> {
    return this.insertWithIds(session, pets, await this.ids.take(session, pets.length));
  }

  private async insertWithIds(
    session: Session,
    pets: readonly NewPet[],
    ids: readonly bigint[],
  ): Promise<Pet[]> {
    const rows = pets.map((pet, index) => Object.assign({}, pet, { id: ids[index] }));
    const { text, values } = this.table.insertValues(rows);
    const statement = {
      name: 'pet-insert',
      text: `${text} RETURNING ${this.table.columns}`,
      // The text of an import depends on the number of rows.
      varies: pets.length > 1,
    };
    return this.table.withoutNulls(await session.query<Pet>(statement, values));
  }
}
