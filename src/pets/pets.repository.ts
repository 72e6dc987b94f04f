import { Injectable } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import type { Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import type { Batches } from '../domain/batches.js';
import { Page } from '../domain/page.js';
import type { NewPet, Pet, PetStatus } from './pet.dto.js';

const COLUMNS = 'id, name, category_id, status';

// The rows come back in the order in which they went in: that of their ids.
const INSERT: Statement = {
  name: 'pet-insert',
  text: `INSERT INTO pet (name, category_id, status)
         SELECT name, category_id, status
         FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS new (name, category_id, status, number)
         ORDER BY number
         RETURNING ${COLUMNS}`,
};

const GET: Statement = {
  name: 'pet-get',
  text: `SELECT ${COLUMNS} FROM pet WHERE id = ANY($1::bigint[])`,
};

const LIST: Statement = {
  name: 'pet-list',
  text: `SELECT ${COLUMNS} FROM pet WHERE id > $1 ORDER BY id LIMIT $2`,
};

// Of one status, the order is that of ids. Told this way, only the index on (status, id) gives it: the
// planner cannot walk the primary key instead, past all animals of other statuses.
const LIST_BY_STATUS: Statement = {
  name: 'pet-list-by-status',
  text: `SELECT ${COLUMNS} FROM pet
         WHERE status = ANY (ARRAY[$3::text]) AND id > $1 ORDER BY status, id LIMIT $2`,
};

/** Which part of the list of animals: up to `limit` of them, of a status if one is given, after an id. */
export interface PetSlice {
  readonly status: PetStatus | undefined;
  readonly after: bigint;
  readonly limit: number;
}

/** The animals in the database. What is asked for at about the same time is asked of the database together. */
@Injectable()
export class PetsRepository {
  private readonly inserts = new Batch(
    (pets: NewPet[]) => this.insertAll(pets),
    ({ name }) => name.length,
  );
  private readonly gets = new Batch((ids: bigint[]) => this.findAll(ids));
  private readonly lists = new Batch((slices: PetSlice[]) => this.listAll(slices));

  constructor(private readonly database: Database) {}

  insert(pet: NewPet): Promise<Pet> {
    return this.inserts.add(pet);
  }

  async insertWithin(transaction: Transaction, pet: NewPet): Promise<Pet> {
    return toPet(await transaction.queryOne<PetRow>(INSERT, columnsOf([pet])));
  }

  /** Inserts all animals or none, with ids in the order given; tells how many there were. */
  insertBatches(batches: Batches<NewPet>): Promise<number> {
    return this.database.transaction(async (transaction) => {
      let count = 0;
      for await (const pets of batches) {
        await transaction.query(INSERT, columnsOf(pets));
        count += pets.length;
      }
      return count;
    });
  }

  find(id: bigint): Promise<Pet | undefined> {
    return this.gets.add(id);
  }

  /** A page of animals in the order of ids. Those who ask for the same page get the same object. */
  list(slice: PetSlice): Promise<Page<Pet>> {
    return this.lists.add(slice);
  }

  private async insertAll(pets: NewPet[]): Promise<Pet[]> {
    return (await this.database.query<PetRow>(INSERT, columnsOf(pets))).map(toPet);
  }

  private async findAll(ids: bigint[]): Promise<(Pet | undefined)[]> {
    const rows = await this.database.query<PetRow>(GET, [ids]);
    const pets = new Map(rows.map((row) => [row.id, toPet(row)]));
    return ids.map((id) => pets.get(id));
  }

  /**
   * Slices that start at the same place are cut from one list, which is as long as the longest of them.
   * A list that fails, because there are too many for the connections, fails no other.
   */
  private async listAll(slices: PetSlice[]): Promise<Promise<Page<Pet>>[]> {
    const longest = new Map<string, PetSlice>();
    for (const slice of slices) {
      const start = startOf(slice);
      if (slice.limit > (longest.get(start)?.limit ?? 0)) longest.set(start, slice);
    }
    const lists = new Map([...longest].map(([start, slice]) => [start, this.listOne(slice)]));
    await Promise.allSettled(lists.values());
    const pages = new Map<string, Promise<Page<Pet>>>();
    return slices.map((slice) => {
      const start = startOf(slice);
      const key = `${start} ${slice.limit}`;
      let page = pages.get(key);
      if (!page) pages.set(key, (page = this.cut(lists.get(start), slice.limit)));
      return page;
    });
  }

  private async cut(list: Promise<Pet[]> | undefined, limit: number): Promise<Page<Pet>> {
    return Page.from((await list) ?? [], limit);
  }

  /** The animals of a slice and, if more follow, one more. */
  private async listOne({ status, after, limit }: PetSlice): Promise<Pet[]> {
    const rows = status
      ? await this.database.query<PetRow>(LIST_BY_STATUS, [after, limit + 1, status])
      : await this.database.query<PetRow>(LIST, [after, limit + 1]);
    return rows.map(toPet);
  }
}

/** What INSERT takes: the animals' values, column by column. */
function columnsOf(pets: readonly NewPet[]): unknown[][] {
  return [pets.map((pet) => pet.name), pets.map((pet) => pet.categoryId), pets.map((pet) => pet.status)];
}

function startOf({ status, after }: PetSlice): string {
  return `${status ?? 'any'} ${after}`;
}

interface PetRow {
  id: bigint;
  name: string;
  category_id: bigint;
  status: PetStatus | null;
}

function toPet({ id, name, category_id: categoryId, status }: PetRow): Pet {
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status };
}
