import { Injectable } from '@nestjs/common';

import type { Transaction } from '../database/transaction.js';
import { Page } from '../domain/page.js';
import type { PageQuery } from '../http/validation/page-query.dto.js';
import { PetNotFound } from '../pets/pet.errors.js';
import type { NewOrder, Order } from './order.dto.js';
import { StoreRepository } from './store.repository.js';

/** The rules about orders. */
@Injectable()
export class StoreService {
  constructor(private readonly orders: StoreRepository) {}

  /** Returns a page of the account's orders, the newest last. */
  async list(accountId: bigint, { after = 0n, limit }: PageQuery): Promise<Page<Order>> {
    return Page.from(await this.orders.list(accountId, after, limit + 1), limit);
  }

  /**
   * Places an order. The animal does not change.
   *
   * @param transaction the transaction that places the order. Default: one of its own
   * @throws PetNotFound
   */
  async place(accountId: bigint, { petId }: NewOrder, transaction?: Transaction): Promise<Order> {
    const order = await this.orders.insert(accountId, petId, transaction);
    if (!order) throw new PetNotFound(petId);
    return order;
  }
}
