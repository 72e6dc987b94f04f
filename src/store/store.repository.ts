import type { Transaction } from '../database/transaction.js';
import type { Page, PageRequest } from '../pagination/page.js';
import type { Order } from './order.dto.js';

/** Stores orders. Later reads of an account include the orders that it has placed (read-your-writes). */
export abstract class StoreRepository {
  /**
   * Adds an order. Returns undefined if the animal does not exist.
   *
   * @param transaction the transaction that adds the order. Default: one of its own
   */
  abstract insert(accountId: bigint, petId: bigint, transaction?: Transaction): Promise<Order | undefined>;

  /** Returns a page of the account's orders in the order of their ids. */
  abstract list(request: PageRequest): Promise<Page<Order>>;
}
