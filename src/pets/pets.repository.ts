import { setImmediate as nextTurn } from 'node:timers/promises';

import { Inject, Injectable, type Type } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { Database } from '../database/database.js';
import { Replicas } from '../database/replicas.js';
import type { Session, Statement } from '../database/session.js';
import type { Table } from '../database/table.js';
import type { Transaction } from '../database/transaction.js';
import { stringifyJson } from '../domain/json.js';
import { MAX_PAGE_BYTES, MAX_PET_NAME_LENGTH } from '../limits.js';
import { Page } from '../pagination/page.js';
import type { ListPetsQuery, NewPet, Pet, PetStatus } from './pet.dto.js';
import type { PetEntity } from './pet.entity.js';
import { petStatements } from './pets.statements.js';

/** Injection token of the entity of animals: `PetEntity` or a subclass. */
export const PET_ENTITY = Symbol('PetEntity');

/** Many animals, in batches that fit into memory. */
export type Batches = Iterable<readonly NewPet[]> | AsyncIterable<readonly NewPet[]>;

/** A page that an account reads. */
export interface PageRead {
  readonly accountId: bigint;
  readonly query: ListPetsQuery;
}

type Lists = Batch<PageRead, Page<Pet>>;

/** The number of animals with the longest names that fill a page. A page ends with the name that fills it. */
const LONGEST_PETS_PER_PAGE = Math.ceil(MAX_PAGE_BYTES / MAX_PET_NAME_LENGTH);

/**
 * Stores animals. Concurrent inserts and reads are batched into one statement. Later reads include the animals that were
 * added.
 *
 * Several responses may share a {@link Pet} object, so do not change it.
 */
@Injectable()
export class PetsRepository {
  protected readonly table: Table<PetEntity>;
  private preparedStatements: ReturnType<typeof petStatements> | undefined;
  /** Batches animals as JSON texts, so that the limits of a batch count all their fields. */
  private readonly inserts: Batch<string, Pet>;
  private readonly gets: Batch<{ readonly accountId: bigint; readonly id: bigint }, Pet | undefined>;
  /** The batches of lists on each server. */
  private readonly lists = new Map<Session, { any: Lists; byStatus: Lists }>();

  constructor(
    protected readonly database: Database,
    protected readonly replicas: Replicas,
    @Inject(PET_ENTITY) entity: Type<PetEntity>,
  ) {
    this.table = database.table(entity);
    const { withoutLimit } = database;
    this.inserts = new Batch('pet-insert', (texts) => this.insertJson(withoutLimit, `[${texts.join()}]`));
    this.gets = new Batch('pet-get', (reads) => this.findAll(withoutLimit, reads));
  }

  /**
   * Returns a condition on the rows of `pet`, in SQL, which all reads have: `deleted_at IS NULL`, or, for a tenant,
   * `tenant_id = ${accountId}`. By default, all accounts read all animals.
   *
   * @param accountId an expression for the account that reads
   */
  protected condition?(accountId: string): string;

  /** @internal Whether the condition of reads depends on the account. */
  protected get isPerAccount(): boolean {
    return this.condition?.('a') !== this.condition?.('b');
  }

  /** The constructor of a subclass sets what its condition uses. */
  private get statements() {
    return (this.preparedStatements ??= petStatements(this.table, this.condition?.bind(this)));
  }

  /** Adds an animal, for an account. */
  insert(_accountId: bigint, pet: NewPet, transaction?: Transaction): Promise<Pet> {
    return transaction ? this.insertOn(transaction, pet) : this.inserts.add(stringifyJson(pet));
  }

  /** Adds all animals or none, with ids in the given order. Returns the number of animals. */
  insertBatches(batches: Batches): Promise<number> {
    return this.database.transaction(async (transaction) => {
      // The source of the animals may be slow.
      await transaction.query(this.statements['no-idle-timeout'], []);
      let count = 0;
      for await (const pets of batches) count += (await this.insertAll(transaction, pets)).length;
      return count;
    });
  }

  /** Returns an animal, or undefined if the account can read none with this id. */
  async find(accountId: bigint, id: bigint, transaction?: Transaction): Promise<Pet | undefined> {
    if (!transaction) return this.gets.add({ accountId, id });
    const [pet] = await this.findAll(transaction, [{ accountId, id }]);
    return pet;
  }

  /**
   * Returns a page of animals in the order of their ids. Concurrent calls may return the same object.
   *
   * @param accountId the account whose earlier writes the page contains
   */
  list(accountId: bigint, query: ListPetsQuery): Promise<Page<Pet>> {
    return this.replicas.read(accountId, ({ withoutLimit: session }) => {
      const lists = this.lists.get(session) ?? {
        any: this.batchOfLists(session, this.statements['pet-list']),
        byStatus: this.batchOfLists(session, this.statements['pet-list-by-status']),
      };
      this.lists.set(session, lists);
      return (query.status === undefined ? lists.any : lists.byStatus).add({ accountId, query });
    });
  }

  private batchOfLists(session: Session, statement: Statement): Lists {
    return new Batch(statement.name, (reads) => this.listAll(session, statement, reads), {
      // PostgreSQL ends a page early that has long names, so that more pages fit into a run.
      rowsOf: ({ query: { limit } }) =>
        this.table.json === undefined ? limit : Math.min(limit, LONGEST_PETS_PER_PAGE),
      keyOf: ({ accountId, query: { status, after, limit } }) =>
        `${this.isPerAccount ? accountId : ''} ${status ?? 'any'} ${after} ${limit}`,
    });
  }

  /** @internal */
  protected async insertOn(session: Session, pet: NewPet): Promise<Pet> {
    const [inserted] = await this.insertAll(session, [pet]);
    if (!inserted) throw new Error('the insert returned no animal');
    return inserted;
  }

  /** @internal */
  protected insertAll(session: Session, pets: readonly NewPet[]): Promise<Pet[]> {
    return this.insertJson(session, stringifyJson(pets));
  }

  private async insertJson(session: Session, pets: string): Promise<Pet[]> {
    return this.table.withoutNulls(await session.query<Pet>(this.statements['pet-insert'], [pets]));
  }

  private async findAll(
    session: Session,
    reads: { accountId: bigint; id: bigint }[],
  ): Promise<(Pet | undefined)[]> {
    const ids = reads.map(({ id }) => id);
    const statement = this.statements['pet-get'];
    if (!this.condition) {
      const rows = this.table.withoutNulls(await session.query<Pet>(statement, [ids]));
      const pets = new Map(rows.map((pet) => [pet.id, pet]));
      return ids.map((id) => pets.get(id));
    }
    const values = [ids, reads.map(({ accountId }) => accountId)];
    const rows = await session.query<Pet & { read: number }>(statement, values);
    const results: (Pet | undefined)[] = ids.map(() => undefined);
    for (const { read, ...pet } of this.table.withoutNulls(rows)) results[read - 1] = pet;
    return results;
  }

  /**
   * Reads pages together. All of them have a status, or none has.
   *
   * @internal
   */
  protected async listAll(session: Session, statement: Statement, reads: PageRead[]): Promise<Page<Pet>[]> {
    const accountIds: bigint[] = [];
    const afters: bigint[] = [];
    const limits: number[] = [];
    const statuses: PetStatus[] = [];
    for (const { accountId, query } of reads) {
      const { after, limit, status } = query;
      accountIds.push(accountId);
      afters.push(after);
      limits.push(limit);
      if (status !== undefined) statuses.push(status);
    }
    const values = [accountIds, afters, limits, ...(statuses.length > 0 ? [statuses] : [])];
    if (this.table.json === undefined) {
      const rows = await session.query<Pet & { read: number }>(statement, values);
      const lists: Pet[][] = limits.map(() => []);
      for (const { read, ...pet } of this.table.withoutNulls(rows)) lists[read - 1]?.push(pet);
      return limits.map((limit, index) => Page.from(lists[index] ?? [], limit));
    }
    const pages: Page<Pet>[] = [];
    const texts = await session.query<{ items: string; nextAfter: bigint | null }>(statement, values);
    for (const { items, nextAfter } of texts) {
      // To shorten a page takes milliseconds, so other requests are served in between.
      if (items.length > MAX_PAGE_BYTES) await nextTurn();
      pages.push(Page.fromJson(items, nextAfter ?? undefined, (text) => this.table.parse<Pet>(text)));
    }
    return pages;
  }
}
