import { Inject, Injectable } from '@nestjs/common';

import { CoordinatorIds } from '../database/citus/coordinator.js';
import { Nodes } from '../database/citus/nodes.js';
import type { Transaction } from '../database/transaction.js';
import type { Order } from './order.dto.js';
import { StoreRepository } from './store.repository.js';

/** Stores orders on Citus. The coordinator assigns the ids. */
@Injectable()
export class CitusStoreRepository extends StoreRepository {
  @Inject(Nodes) private readonly nodes!: Nodes;
  /** @internal */
  protected override readonly guardFor = (accountId: bigint) =>
    this.nodes.ofRow('store_order', 'account_id', accountId);
  private readonly ids = new CoordinatorIds(this.database, 'store_order');

  override async insert(accountId: bigint, petId: bigint, transaction?: Transaction): Promise<Order> {
    const id = await this.ids.next();
    const text = `INSERT INTO store_order (id, account_id, pet_id, status, created_at)
                  VALUES ($1, $2, $3, 'placed', now()) RETURNING ${this.table.columns}`;
    const session = transaction ?? this.database;
    const statement = { name: 'order-insert', text, guard: this.guardFor(accountId) };
    return session.queryOne<Order>(statement, [id, accountId, petId]);
  }
}
