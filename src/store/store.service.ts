import { Injectable } from '@nestjs/common';

import type { Transaction } from '../database/transaction.js';
import type { Page } from '../pagination/page.js';
import type { PageQuery } from '../pagination/page-query.dto.js';
import { PetsService } from '../pets/pets.service.js';
import type { NewOrder, Order } from './order.dto.js';
import { StoreRepository } from './store.repository.js';

/** The rules about orders. */
@Injectable()
export class StoreService {
  constructor(
    private readonly orders: StoreRepository,
    private readonly pets: PetsService,
  ) {}

  /** Returns a page of the account's orders, the newest last. */
  list(accountId: bigint, query: PageQuery): Promise<Page<Order>> {
    return this.orders.list(accountId, query);
  }

  /**
   * Places an order. The animal does not change. It is never removed, so it still exists when its order is inserted.
   *
   * @throws NotFound when there is no such animal
   */
  async place(accountId: bigint, { petId }: NewOrder, transaction?: Transaction): Promise<Order> {
    await this.pets.get(accountId, petId, transaction);
    return this.orders.insert(accountId, petId, transaction);
  }
}
