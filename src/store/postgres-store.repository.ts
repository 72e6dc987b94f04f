import { Injectable } from '@nestjs/common';

import { Database } from '../database/database.js';
import { Replicas } from '../database/replicas/replicas.js';
import type { Statement } from '../database/session.js';
import type { Transaction } from '../database/transaction.js';
import { Page, type PageRequest } from '../pagination/page.js';
import { insertOrder } from './citus-orders.js';
import type { Order } from './order.dto.js';
import { ORDER_COLUMNS } from './order.entity.js';
import { StoreRepository } from './store.repository.js';

// A single statement checks the animal and inserts the order, so that no transaction is needed.
const INSERT: Statement = {
  name: 'order-insert',
  text: `INSERT INTO store_order (account_id, pet_id, status, created_at)
         SELECT $1, id, 'placed', now() FROM pet WHERE id = $2
         RETURNING ${ORDER_COLUMNS}`,
};

// ORDER BY account_id makes the planner use the index on (account_id, id). Otherwise it may walk the primary key, past
// the orders of all other accounts.
const LIST: Statement = {
  name: 'order-list',
  text: `SELECT ${ORDER_COLUMNS} FROM store_order
         WHERE account_id = ANY (ARRAY[$1::bigint]) AND id > $2 ORDER BY account_id, id LIMIT $3`,
};

/** Stores orders in PostgreSQL. */
@Injectable()
export class PostgresStoreRepository extends StoreRepository {
  constructor(
    private readonly database: Database,
    private readonly replicas: Replicas,
  ) {
    super();
  }

  override async insert(
    accountId: bigint,
    petId: bigint,
    transaction?: Transaction,
  ): Promise<Order | undefined> {
    const session = transaction ?? this.database;
    if (this.database.engine === 'citus') return insertOrder(session, accountId, petId);
    const [order] = await session.query<Order>(INSERT, [accountId, petId]);
    return order;
  }

  override async list({ accountId, after, limit }: PageRequest): Promise<Page<Order>> {
    const values = [accountId, after, limit + 1];
    const orders = await this.replicas.read(accountId, (session) => session.query<Order>(LIST, values));
    return Page.from(orders, limit);
  }
}
