import { Inject, Injectable } from '@nestjs/common';

import { Batch } from '../database/batch.js';
import { CoordinatorIds } from '../database/citus/coordinator.js';
import { Nodes } from '../database/citus/nodes.js';
import type { Session } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import { stringifyJson } from '../domain/json.js';
import { Page } from '../pagination/page.js';
import type { NewPet, Pet } from './pet.dto.js';
import { type Lists, PetsRepository } from './pets.repository.js';
import type { PageRead } from './read-pages.js';

/**
 * Stores animals on Citus. Each request for a row sends its own statement, which Citus routes to the worker of the row.
 * Equal requests for a page share a statement, which asks every shard. The coordinator assigns the ids.
 */
@Injectable()
export class CitusPetsRepository extends PetsRepository {
  @Inject(Nodes) private readonly nodes!: Nodes;
  private readonly ids = new CoordinatorIds(this.database, 'pet');

  override async insert(accountId: bigint, pet: NewPet, transaction?: Transaction): Promise<Pet> {
    const id = await this.ids.next();
    const [inserted] = await this.insertWithIds(transaction ?? this.database, [pet], [id], accountId);
    if (!inserted) throw new Error('the insert returned no animal');
    return inserted;
  }

  override async find(accountId: bigint, id: bigint, transaction?: Transaction): Promise<Pet | undefined> {
    const text = `SELECT ${this.table.columns} FROM pet WHERE ${this.readable('$2::bigint')} id = $1`;
    const values = [id, ...(this.isPerAccount ? [accountId] : [])];
    const guard = this.nodes.ofRow('pet', 'id', id);
    const statement = { name: 'pet-get', text, account: accountId, guard };
    return this.table.withoutNulls(await (transaction ?? this.database).query<Pet>(statement, values))[0];
  }

  /** @internal */
  protected override listsOn(): Lists {
    const readPages = (reads: PageRead[]) => Promise.all(reads.map((read) => this.readPage(read)));
    return { rows: new Batch('pet-list-rows', readPages, this.rowOptions) };
  }

  private async readPage({ accountId, query }: PageRead): Promise<Page<Pet>> {
    const { status, after, limit } = query;
    const values: unknown[] = [after, limit + 1, ...(this.isPerAccount ? [accountId] : [])];
    const condition = status === undefined ? '' : `status = $${values.push(status)} AND`;
    const text = `SELECT ${this.table.columns} FROM pet
                  WHERE ${this.readable('$3::bigint')} ${condition} id > $1 ORDER BY id LIMIT $2`;
    const name = status === undefined ? 'pet-list-one' : 'pet-list-one-by-status';
    // A page is limited like a statement for a row, so that pages leave connections for others. Several accounts can read
    // it, so it waits for none of them.
    const pets = await this.database.query<Pet>({ name, text, guard: this.nodes.ofAll('pet') }, values);
    return Page.from(this.table.withoutNulls(pets), limit);
  }

  /** @internal */
  protected override async insertAll(session: Session, pets: readonly NewPet[]): Promise<Pet[]> {
    return this.insertWithIds(session, pets, await this.ids.take(session, pets.length));
  }

  private readable(accountId: string): string {
    return this.condition ? `(${this.condition(accountId)}) AND` : '';
  }

  private async insertWithIds(
    session: Session,
    pets: readonly NewPet[],
    ids: readonly bigint[],
    account?: bigint,
  ): Promise<Pet[]> {
    const rows = pets.map((pet, index) => Object.assign({}, pet, { id: ids[index] }));
    const { text, values } = this.table.insertValues(rows);
    const statement = {
      name: 'pet-insert',
      text: `${text} RETURNING ${this.table.columns}`,
      // The text of an import depends on the number of rows.
      varies: pets.length > 1,
      account,
      // Only a single row waits: that of an import has a transaction.
      characters: pets.length === 1 ? stringifyJson(pets).length : 0,
      guard: ids.length === 1 ? this.nodes.ofRow('pet', 'id', ids[0] ?? 0n) : undefined,
    };
    return this.table.withoutNulls(await session.query<Pet>(statement, values));
  }
}
