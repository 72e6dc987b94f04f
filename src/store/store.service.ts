import { Injectable } from '@nestjs/common';

import type { Transaction } from '../database/transaction.js';
import { Page } from '../domain/page.js';
import { PetNotFound } from '../pets/pet.errors.js';
import type { ListOrdersQuery, NewOrder, Order } from './order.dto.js';
import { StoreRepository } from './store.repository.js';

/** The rules about orders. */
@Injectable()
export class StoreService {
  constructor(private readonly orders: StoreRepository) {}

  /** A page of the account's own orders, the newest last. */
  async list(accountId: bigint, query: ListOrdersQuery): Promise<Page<Order>> {
    const orders = await this.orders.list(accountId, query.after ?? 0n, query.limit + 1);
    return Page.from(orders, query.limit);
  }

  /**
   * Places an order, which changes nothing about the animal.
   *
   * @param transaction what the order comes with; without one, it comes for itself
   * @throws PetNotFound
   */
  async place(accountId: bigint, { petId }: NewOrder, transaction?: Transaction): Promise<Order> {
    const order = await this.orders.insert(accountId, petId, transaction);
    if (!order) throw new PetNotFound(petId);
    return order;
  }
}
