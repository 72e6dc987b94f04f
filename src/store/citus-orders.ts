import type { Session, Statement } from '../database/session.js';
import type { Order } from './order.dto.js';
import { ORDER_COLUMNS } from './order.entity.js';

const FIND_PET: Statement = {
  name: 'order-find-pet',
  text: 'SELECT id FROM pet WHERE id = $1',
};

const INSERT: Statement = {
  name: 'order-insert',
  text: `INSERT INTO store_order (account_id, pet_id, status, created_at) VALUES ($1, $2, 'placed', now())
         RETURNING ${ORDER_COLUMNS}`,
};

/**
 * Inserts an order on Citus, which inserts values several times faster than the result of a query. An animal is never
 * removed, so it still exists when its order is inserted.
 *
 * @returns undefined when there is no such animal
 */
export async function insertOrder(
  session: Session,
  accountId: bigint,
  petId: bigint,
): Promise<Order | undefined> {
  const [pet] = await session.query(FIND_PET, [petId]);
  return pet && session.queryOne<Order>(INSERT, [accountId, petId]);
}
