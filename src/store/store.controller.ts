import { Controller, Get, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { type AuthenticatedRequest, type Caller, CurrentCaller } from '../auth/caller.decorator.js';
import type { Page } from '../domain/page.js';
import { DomainErrorInterceptor } from '../http/domain-error.interceptor.js';
import { JsonBody } from '../http/json-body.decorator.js';
import { ValidQuery } from '../http/valid-query.decorator.js';
import { Idempotency } from '../idempotency/idempotency.js';
import { Idempotent, REPLAYED } from '../idempotency/idempotent.decorator.js';
import { Answers, AnswersPage } from '../openapi/api-responses.decorator.js';
import { ApiErrors } from '../openapi/api-errors.decorator.js';
import { Stability } from '../openapi/stability.decorator.js';
import { ListOrdersQuery, NewOrder, Order } from './order.dto.js';
import { StoreService } from './store.service.js';

@ApiTags('Store')
@Controller('v1/store/orders')
@UseInterceptors(DomainErrorInterceptor)
export class StoreController {
  constructor(
    private readonly store: StoreService,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * List the orders of your account
   *
   * @remarks The newest come last. When more follow, the `Link` header holds the address of the next
   * page (RFC 8288); follow it as it is.
   */
  @Get()
  @Stability('experimental')
  @AnswersPage('Orders', Order, '/v1/store/orders?limit=20&after=1001')
  @ApiErrors('invalid_request')
  listOrders(@ValidQuery() query: ListOrdersQuery, @CurrentCaller() caller: Caller): Promise<Page<Order>> {
    return this.store.list(caller.accountId, query);
  }

  /**
   * Order an animal
   *
   * @remarks The order is placed, and nothing about the animal changes.
   */
  @Post()
  @Stability('experimental')
  @Answers(201, Order, 'The order.', REPLAYED)
  @Idempotent()
  @ApiErrors('invalid_request', 'not_found', 'payload_too_large')
  placeOrder(@JsonBody() newOrder: NewOrder, @Req() request: AuthenticatedRequest): Promise<Order> {
    return this.idempotency.once(request, newOrder, (transaction) =>
      this.store.place(request.caller.accountId, newOrder, transaction),
    );
  }
}
