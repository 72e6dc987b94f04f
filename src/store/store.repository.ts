import type { Transaction } from '../database/transaction.js';
import type { Order } from './order.dto.js';

/** Where the orders are kept. An order that was placed is in whatever its account reads from then on. */
export abstract class StoreRepository {
  /**
   * Adds an order; undefined when there is no such animal.
   *
   * @param transaction what the order comes with; without one, it comes for itself
   */
  abstract insert(accountId: bigint, petId: bigint, transaction?: Transaction): Promise<Order | undefined>;

  /** The first `limit` orders of an account after an id, in the order of ids. */
  abstract list(accountId: bigint, after: bigint, limit: number): Promise<Order[]>;
}
