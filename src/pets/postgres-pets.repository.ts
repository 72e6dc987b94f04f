import { Injectable } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import { Replicas } from '../database/replicas/replicas.js';
import type { Session, Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import type { Batches } from '../domain/batches.js';
import type { Page } from '../pagination/page.js';
import { findPetsByWorker, insertPets, insertPetsByWorker } from './citus-pets.js';
import { PetLists } from './pet-lists.js';
import type { NewPet, Pet, PetPageRequest } from './pet.dto.js';
import { PET_COLUMNS, type PetEntity, toAddedPet, toPet } from './pet.entity.js';
import { PetsRepository } from './pets.repository.js';

// Inserts the rows, and assigns the ids, in the order of the parameters.
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

type IdRow = Pick<PetEntity, 'id'>;

/**
 * Stores the animals in the database of the service. Concurrent requests are batched into one statement.
 *
 * Several responses may share a {@link Pet} object, so do not change it.
 */
@Injectable()
export class PostgresPetsRepository extends PetsRepository {
  private readonly inserts = new Batch('pet-insert', (pets: NewPet[]) => this.insertTogether(pets), {
    charactersOf: ({ name }) => name.length,
  });
  private readonly gets = new Batch('pet-get', (ids: bigint[]) => this.findTogether(ids));
  private readonly lists = new Map<Session, PetLists>();
  private readonly isOnCitus: boolean;

  constructor(
    protected readonly database: Database,
    private readonly replicas: Replicas,
  ) {
    super();
    this.isOnCitus = database.engine === 'citus';
  }

  override async insert(pet: NewPet, _accountId?: bigint, transaction?: Transaction): Promise<Pet> {
    if (!transaction) return this.inserts.add(pet);
    const [id] = await this.insertAll(transaction, [pet]);
    if (id === undefined) throw new Error(`${INSERT.name} returned no id`);
    return toAddedPet(id, pet);
  }

  override insertBatches(batches: Batches<NewPet>): Promise<number> {
    return this.database.transaction(async (transaction) => {
      let count = 0;
      for await (const pets of batches) {
        await this.insertAll(transaction, pets);
        count += pets.length;
      }
      return count;
    });
  }

  override async find(id: bigint, transaction?: Transaction): Promise<Pet | undefined> {
    if (!transaction) return this.gets.add(id);
    const [pet] = await this.findAll(transaction, [id]);
    return pet;
  }

  override list({ accountId, ...slice }: PetPageRequest): Promise<Page<Pet>> {
    return this.replicas.read(accountId, ({ batchSession }) => this.listsOn(batchSession).list(slice));
  }

  private listsOn(session: Session): PetLists {
    const lists = this.lists.get(session) ?? new PetLists(session, this.database.engine);
    this.lists.set(session, lists);
    return lists;
  }

  private async insertTogether(pets: NewPet[]): Promise<(Pet | Promise<Pet>)[]> {
    const { batchSession: session } = this.database;
    const ids = await (this.isOnCitus ? insertPetsByWorker(session, pets) : this.insertAll(session, pets));
    return pets.map((pet, index) => {
      const id = ids.length === pets.length ? ids[index] : undefined;
      // The rows are committed. An error for the whole batch would make it run again, so each item gets its own.
      if (id === undefined) return Promise.reject(new Error(`${INSERT.name} returned too few rows`));
      return typeof id === 'bigint' ? toAddedPet(id, pet) : id.then((inserted) => toAddedPet(inserted, pet));
    });
  }

  private async insertAll(session: Session, pets: readonly NewPet[]): Promise<bigint[]> {
    if (this.isOnCitus) return insertPets(session, pets);
    const rows = await session.query<IdRow>(INSERT, columnsOf(pets));
    return rows.map(({ id }) => id);
  }

  private async findTogether(ids: bigint[]): Promise<(Pet | undefined | Promise<Pet | undefined>)[]> {
    const { batchSession: session } = this.database;
    const find = (some: bigint[]) => this.findAll(session, some);
    return this.isOnCitus ? findPetsByWorker(session, ids, find) : find(ids);
  }

  private async findAll(session: Session, ids: bigint[]): Promise<(Pet | undefined)[]> {
    const rows = await session.query<PetEntity>(GET, [ids]);
    const pets = new Map(rows.map((row) => [row.id, toPet(row)]));
    return ids.map((id) => pets.get(id));
  }
}

/** Returns the parameters of INSERT: an array for each column. */
function columnsOf(pets: readonly NewPet[]): unknown[][] {
  return [pets.map((pet) => pet.name), pets.map((pet) => pet.categoryId), pets.map((pet) => pet.status)];
}
