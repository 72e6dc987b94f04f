import { Injectable } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import { Replicas } from '../database/replicas/replicas.js';
import type { Session, Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import type { Batches } from '../domain/batches.js';
import { Page } from '../domain/page.js';
import type { NewPet, Pet } from './pet.dto.js';
import { type PetRow, toAddedPet, toPet } from './pet.row.js';
import { type PetSlice, PetsRepository } from './pets.repository.js';

const COLUMNS = 'id, name, category_id, status';

// The rows come back in the order in which they went in: that of their ids.
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

// Several slices in one statement, each of which is read as it would be alone.
const LISTS: Statement = {
  name: 'pet-lists',
  text: `SELECT slice.number::int, page.*
         FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS slice (after, count, number)
         CROSS JOIN LATERAL (
           SELECT ${COLUMNS} FROM pet WHERE id > slice.after ORDER BY id LIMIT slice.count
         ) AS page
         ORDER BY slice.number, page.id`,
};

const LISTS_BY_STATUS: Statement = {
  name: 'pet-lists-by-status',
  text: `SELECT slice.number::int, page.*
         FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY AS slice (after, count, status, number)
         CROSS JOIN LATERAL (
           SELECT ${COLUMNS} FROM pet
           WHERE status = ANY (ARRAY[slice.status]) AND id > slice.after ORDER BY status, id LIMIT slice.count
         ) AS page
         ORDER BY slice.number, page.id`,
};

/** An animal with the number of the slice that it is in. */
type NumberedRow = PetRow & { number: number };

/** The lists that are asked for on one server. */
interface Lists {
  ofAny: Batch<PetSlice, Page<Pet>>;
  ofOneStatus: Batch<PetSlice, Page<Pet>>;
}

/**
 * The animals in the database of the service. What is asked for at about the same time is asked of the database together.
 *
 * Several answers may share an animal, of which JSON has the fields of {@link Pet} alone. To tell more of it, copy it
 * into an object of another class.
 */
@Injectable()
export class PostgresPetsRepository extends PetsRepository {
  private readonly inserts = new Batch('pet-insert', (pets: NewPet[]) => this.insertAll(pets), {
    charactersOf: ({ name }) => name.length,
  });
  private readonly gets = new Batch('pet-get', (ids: bigint[]) => this.findAll(ids));
  private readonly lists = new Map<Session, Lists>();

  constructor(
    private readonly database: Database,
    private readonly replicas: Replicas,
  ) {
    super();
  }

  override insert(pet: NewPet, _accountId?: bigint, transaction?: Transaction): Promise<Pet> {
    if (!transaction) return this.inserts.add(pet);
    const inserted = transaction.queryOne<Pick<PetRow, 'id'>>(INSERT, columnsOf([pet]));
    return inserted.then((row) => toAddedPet(row, pet));
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

  override find(id: bigint): Promise<Pet | undefined> {
    return this.gets.add(id);
  }

  override list(slice: PetSlice, accountId: bigint): Promise<Page<Pet>> {
    const { batchSession } = this.database;
    return this.replicas.exist
      ? this.replicas.read(accountId, batchSession, (session) => this.listOn(session, slice))
      : this.listOn(batchSession, slice);
  }

  private listOn(session: Session, slice: PetSlice): Promise<Page<Pet>> {
    let lists = this.lists.get(session);
    if (!lists) {
      const batch = (name: string) => new Batch(name, (slices: PetSlice[]) => this.listAll(session, slices));
      lists = { ofAny: batch('pet-list'), ofOneStatus: batch('pet-list-by-status') };
      this.lists.set(session, lists);
    }
    return (slice.status ? lists.ofOneStatus : lists.ofAny).add(slice);
  }

  private async insertAll(pets: NewPet[]): Promise<(Pet | Promise<Pet>)[]> {
    const rows = await this.database.batchSession.query<Pick<PetRow, 'id'>>(INSERT, columnsOf(pets));
    const missing = () =>
      Promise.reject(new Error(`${INSERT.name} gave ${rows.length} rows for ${pets.length}`));
    // They are in the database: what is thrown would have them added again.
    return pets.map((pet, index) => {
      const row = rows.length === pets.length ? rows[index] : undefined;
      return row ? toAddedPet(row, pet) : missing();
    });
  }

  private async findAll(ids: bigint[]): Promise<(Pet | undefined)[]> {
    const rows = await this.database.batchSession.query<PetRow>(GET, [ids]);
    const pets = new Map(rows.map((row) => [row.id, toPet(row)]));
    return ids.map((id) => pets.get(id));
  }

  /** Slices that start at the same place are cut from one list, which is as long as the longest of them. */
  private async listAll(session: Session, slices: PetSlice[]): Promise<Page<Pet>[]> {
    const [first] = slices;
    if (first && slices.every((slice) => isSame(slice, first))) {
      const page = Page.from(await this.readOne(session, first), first.limit);
      return slices.map(() => page);
    }
    const longest = new Map<string, PetSlice>();
    for (const slice of slices) {
      const start = startOf(slice);
      if (slice.limit > (longest.get(start)?.limit ?? 0)) longest.set(start, slice);
    }
    const lists = await this.read(session, [...longest.values()]);
    const listAt = new Map([...longest.keys()].map((start, index) => [start, lists[index] ?? []]));
    const pages = new Map<string, Page<Pet>>();
    return slices.map((slice) => {
      const start = startOf(slice);
      const key = `${start} ${slice.limit}`;
      let page = pages.get(key);
      if (!page) pages.set(key, (page = Page.from(listAt.get(start) ?? [], slice.limit)));
      return page;
    });
  }

  /** The animals of a slice and, if more follow, one more. */
  private async readOne(session: Session, { status, after, limit }: PetSlice): Promise<Pet[]> {
    const rows = status
      ? await session.query<PetRow>(LIST_BY_STATUS, [after, limit + 1, status])
      : await session.query<PetRow>(LIST, [after, limit + 1]);
    return rows.map(toPet);
  }

  /** The same of each slice. All of them name a status, or none does. */
  private async read(session: Session, slices: PetSlice[]): Promise<Pet[][]> {
    if (isOne(slices)) return [await this.readOne(session, slices[0])];
    const afters = slices.map(({ after }) => after);
    const counts = slices.map(({ limit }) => limit + 1);
    const statuses = slices.flatMap(({ status }) => status ?? []);
    const rows =
      statuses.length > 0
        ? await session.query<NumberedRow>(LISTS_BY_STATUS, [afters, counts, statuses])
        : await session.query<NumberedRow>(LISTS, [afters, counts]);
    const lists: Pet[][] = slices.map(() => []);
    for (const row of rows) lists[row.number - 1]?.push(toPet(row));
    return lists;
  }
}

function isSame(slice: PetSlice, { status, after, limit }: PetSlice): boolean {
  return slice.status === status && slice.after === after && slice.limit === limit;
}

function isOne<Item>(items: readonly Item[]): items is readonly [Item] {
  return items.length === 1;
}

/** What INSERT takes: the animals' values, column by column. */
function columnsOf(pets: readonly NewPet[]): unknown[][] {
  return [pets.map((pet) => pet.name), pets.map((pet) => pet.categoryId), pets.map((pet) => pet.status)];
}

function startOf({ status, after }: PetSlice): string {
  return `${status ?? 'any'} ${after}`;
}
