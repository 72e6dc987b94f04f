import { Inject, Injectable, type Type } from '@nestjs/common';

import { Batch, type BatchOptions } from '../database/batch.js';
import { Database } from '../database/database.js';
import { Replicas } from '../database/replicas.js';
import type { Session } from '../database/session.js';
import type { Table } from '../database/table.js';
import type { Transaction } from '../database/transaction.js';
import { stringifyJson } from '../domain/json.js';
import { MAX_PAGE_SIZE } from '../limits.js';
import type { Page } from '../pagination/page.js';
import type { ListPetsQuery, NewPet, Pet } from './pet.dto.js';
import type { PetEntity } from './pet.entity.js';
import { petStatements } from './pets.statements.js';
import { type PageRead, readRows, readTexts } from './read-pages.js';

/** Injection token of the entity of animals: `PetEntity` or a subclass. */
export const PET_ENTITY = Symbol('PetEntity');

/** Many animals, in batches that fit into memory. */
export type Batches = Iterable<readonly NewPet[]> | AsyncIterable<readonly NewPet[]>;

/** The batches of lists on a server: of pages that the database writes, and of the others. */
export interface Lists {
  readonly texts?: Batch<PageRead, Page<Pet> | undefined>;
  readonly rows: Batch<PageRead, Page<Pet>>;
}

/**
 * Stores animals. Concurrent inserts and reads are batched into one statement. Later reads include the animals that were
 * added.
 *
 * Several responses may share a {@link Pet} object, so do not change it.
 */
@Injectable()
export class PetsRepository {
  protected readonly table: Table;
  private preparedStatements: ReturnType<typeof petStatements> | undefined;
  /** Batches animals as JSON texts, so that the limits of a batch count all their fields. */
  private readonly inserts: Batch<string, Pet>;
  private readonly gets: Batch<{ readonly accountId: bigint; readonly id: bigint }, Pet | undefined>;
  /** Those without and with a status, on each server. */
  private readonly lists = new Map<Session, { all: Lists; byStatus: Lists }>();
  private readonly keyOf = ({ accountId, query: { status, after, limit } }: PageRead): string =>
    `${this.isPerAccount ? accountId : ''} ${status ?? 'any'} ${after} ${limit}`;
  /** @internal A page of a few long rows takes as much time and memory as one of many. */
  protected readonly rowOptions: BatchOptions<PageRead> = {
    rowsOf: ({ query }) => Math.max(4 * query.limit, MAX_PAGE_SIZE),
    keyOf: this.keyOf,
  };

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
  async insert(accountId: bigint, pet: NewPet, transaction?: Transaction): Promise<Pet> {
    if (!transaction) return this.inserts.add(stringifyJson(pet), accountId);
    const [inserted] = await this.insertAll(transaction, [pet]);
    if (!inserted) throw new Error('the insert returned no animal');
    return inserted;
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
    if (!transaction) return this.gets.add({ accountId, id }, accountId);
    const [pet] = await this.findAll(transaction, [{ accountId, id }]);
    return pet;
  }

  /**
   * Returns a page of animals in the order of their ids. Concurrent calls may return the same object.
   *
   * @param accountId the account whose earlier writes the page contains
   */
  list(accountId: bigint, query: ListPetsQuery): Promise<Page<Pet>> {
    return this.replicas.read(accountId, async ({ withoutLimit: session }) => {
      const lists = this.lists.get(session) ?? {
        all: this.listsOn(session, ''),
        byStatus: this.listsOn(session, '-by-status'),
      };
      this.lists.set(session, lists);
      const { texts, rows } = query.status === undefined ? lists.all : lists.byStatus;
      const read = { accountId, query };
      return (await texts?.add(read, accountId)) ?? rows.add(read, accountId);
    });
  }

  /** @internal Returns the batches of lists with a status, or without. */
  protected listsOn(session: Session, filter: '' | '-by-status'): Lists {
    const { table, keyOf } = this;
    const texts = this.statements[`pet-list${filter}`];
    const rows = this.statements[`pet-list-rows${filter}`];
    const readTextsOf = (reads: PageRead[]) => readTexts(table, session, texts, reads);
    const readRowsOf = (reads: PageRead[]) => readRows(table, session, rows, reads);
    return {
      rows: new Batch(rows.name, readRowsOf, this.rowOptions),
      ...(table.json !== undefined && {
        texts: new Batch(texts.name, readTextsOf, { rowsOf: ({ query }) => query.limit, keyOf }),
      }),
    };
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
}
