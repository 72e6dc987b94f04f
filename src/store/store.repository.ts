import { Inject, Injectable } from '@nestjs/common';

import { CoordinatorIds } from '../database/citus/coordinator.js';
import { Nodes } from '../database/citus/nodes.js';
import { Database } from '../database/database.js';
import { Replicas } from '../database/replicas.js';
import type { Guard } from '../database/session.js';
import type { Table } from '../database/table.js';
import type { Transaction } from '../database/transaction.js';
import { Page } from '../pagination/page.js';
import type { PageQuery } from '../pagination/page-query.dto.js';
import type { Order } from './order.dto.js';
import { OrderEntity } from './order.entity.js';

/** Stores orders. Later reads of an account include the orders that it has placed (read-your-writes). */
@Injectable()
export class StoreRepository {
  protected readonly table: Table;
  /** @internal Returns the guard of statements for the orders of an account. */
  protected readonly guardFor?: (accountId: bigint) => Guard;

  constructor(
    protected readonly database: Database,
    protected readonly replicas: Replicas,
  ) {
    this.table = database.table(OrderEntity);
  }

  /** Adds an order for an animal that exists. */
  insert(accountId: bigint, petId: bigint, transaction?: Transaction): Promise<Order> {
    const text = `INSERT INTO store_order (account_id, pet_id, status, created_at) VALUES ($1, $2, 'placed', now())
                  RETURNING ${this.table.columns}`;
    const session = transaction ?? this.database;
    return session.queryOne<Order>({ name: 'order-insert', text, account: accountId }, [accountId, petId]);
  }

  async list(accountId: bigint, { after, limit }: PageQuery): Promise<Page<Order>> {
    // ORDER BY account_id makes the planner use the index on (account_id, id). Otherwise it may walk the primary key, past
    // the orders of all other accounts.
    const text = `SELECT ${this.table.columns} FROM store_order
                  WHERE account_id = ANY (ARRAY[$1::bigint]) AND id > $2 ORDER BY account_id, id LIMIT $3`;
    const statement = { name: 'order-list', text, account: accountId, guard: this.guardFor?.(accountId) };
    const orders = await this.replicas.read(accountId, (session) =>
      session.query<Order>(statement, [accountId, after, limit + 1]),
    );
    return Page.from(orders, limit);
  }
}

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
    const guard = this.guardFor(accountId);
    const statement = { name: 'order-insert', text, account: accountId, guard };
    return session.queryOne<Order>(statement, [id, accountId, petId]);
  }
}
