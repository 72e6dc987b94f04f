import { Injectable } from '@nestjs/common';

import type { Transaction } from '../database/transaction.js';
import type { Page, PageRequest } from '../pagination/page.js';
import { PetNotFound } from '../pets/pet.errors.js';
import type { NewOrder, Order } from './order.dto.js';
import { StoreRepository } from './store.repository.js';

/** The rules about orders. */
@Injectable()
export class StoreService {
  constructor(private readonly orders: StoreRepository) {}

  /** Returns a page of the account's orders, the newest last. */
  list(request: PageRequest): Promise<Page<Order>> {
    return this.orders.list(request);
  }

  /**
   * Places an order. The animal does not change.
   *
   * @throws PetNotFound
   */
  async place(accountId: bigint, { petId }: NewOrder, transaction?: Transaction): Promise<Order> {
    const order = await this.orders.insert(accountId, petId, transaction);
    if (!order) throw new PetNotFound(petId);
    return order;
  }
}
