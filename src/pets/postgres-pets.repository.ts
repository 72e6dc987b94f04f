import { Injectable } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import { Replicas } from '../database/replicas/replicas.js';
import type { Session, Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import type { Batches } from '../domain/batches.js';
import type { Page } from '../domain/page.js';
import { PetLists } from './pet-lists.js';
import type { NewPet, Pet } from './pet.dto.js';
import { PET_COLUMNS, type PetRow, toAddedPet, toPet } from './pet.row.js';
import { type PetSlice, PetsRepository } from './pets.repository.js';

// The rows are inserted in the order given, and so are their ids.
const INSERT: Statement = {
  name: 'pet-insert',
  text: `INSERT INTO pet (name, category_id, status)
         SELECT name, category_id, status
         FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS new (name, category_id, status, number)
         ORDER BY number
         RETURNING id`,
};

const GET: Statement = {
  name: 'pet-get',
  text: `SELECT ${PET_COLUMNS} FROM pet WHERE id = ANY($1::bigint[])`,
};

type IdRow = Pick<PetRow, 'id'>;

/**
 * The animals in the database of the service. Requests that arrive at about the same time share statements.
 *
 * Several answers may share a {@link Pet} object, so do not change it.
 */
@Injectable()
export class PostgresPetsRepository extends PetsRepository {
  private readonly inserts = new Batch('pet-insert', (pets: NewPet[]) => this.insertTogether(pets), {
    charactersOf: ({ name }) => name.length,
  });
  private readonly gets = new Batch('pet-get', (ids: bigint[]) => this.findTogether(ids));
  private readonly lists = new Map<Session, PetLists>();

  constructor(
    protected readonly database: Database,
    private readonly replicas: Replicas,
  ) {
    super();
  }

  override async insert(pet: NewPet, _accountId?: bigint, transaction?: Transaction): Promise<Pet> {
    if (!transaction) return this.inserts.add(pet);
    return toAddedPet(await transaction.queryOne<IdRow>(INSERT, columnsOf([pet])), pet);
  }

  override insertBatches(batches: Batches<NewPet>): Promise<number> {
    return this.database.transaction(async (transaction) => {
      let count = 0;
      for await (const pets of batches) {
        await transaction.query(INSERT, columnsOf(pets));
        count += pets.length;
      }
      return count;
    });
  }

  override async find(id: bigint, transaction?: Transaction): Promise<Pet | undefined> {
    if (!transaction) return this.gets.add(id);
    const [row] = await transaction.query<PetRow>(GET, [[id]]);
    return row && toPet(row);
  }

  override list(slice: PetSlice, accountId: bigint): Promise<Page<Pet>> {
    return this.replicas.read(accountId, this.database.batchSession, (session) =>
      this.listsOn(session).list(slice),
    );
  }

  private listsOn(session: Session): PetLists {
    const lists = this.lists.get(session) ?? new PetLists(session);
    this.lists.set(session, lists);
    return lists;
  }

  private async insertTogether(pets: NewPet[]): Promise<(Pet | Promise<Pet>)[]> {
    const rows = await this.database.batchSession.query<IdRow>(INSERT, columnsOf(pets));
    return pets.map((pet, index) => {
      const row = rows.length === pets.length ? rows[index] : undefined;
      // The rows are committed. An error for the whole batch would make it run again, so each item gets its own.
      return row ? toAddedPet(row, pet) : Promise.reject(new Error(`${INSERT.name} returned too few rows`));
    });
  }

  private async findTogether(ids: bigint[]): Promise<(Pet | undefined)[]> {
    const rows = await this.database.batchSession.query<PetRow>(GET, [ids]);
    const pets = new Map(rows.map((row) => [row.id, toPet(row)]));
    return ids.map((id) => pets.get(id));
  }
}

/** The parameters of INSERT, column by column. */
function columnsOf(pets: readonly NewPet[]): unknown[][] {
  return [pets.map((pet) => pet.name), pets.map((pet) => pet.categoryId), pets.map((pet) => pet.status)];
}
