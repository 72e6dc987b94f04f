import { Body, Controller, Get, Post, Query, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';

import { type Caller, CurrentCaller } from '../auth/callers/caller.decorator.js';
import { InvalidRequest, NotFound } from '../domain/errors.js';
import { BODY_ERRORS } from '../http/errors/http-errors.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { Idempotent, IdempotentRequest, REPLAYED } from '../idempotency/idempotent.decorator.js';
import { ApiPageResponse } from '../openapi/decorators/api-responses.decorator.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { Stability } from '../openapi/decorators/stability.decorator.js';
import { INVALID_LIMIT, PageQuery } from '../pagination/page-query.dto.js';
import { sendPage } from '../pagination/page.js';
import { NewOrder, Order } from './order.dto.js';
import { StoreService } from './store.service.js';

@ApiTags('Store')
@Stability('experimental')
@Controller({ path: 'v1/store/orders', version: VERSION_NEUTRAL })
export class StoreController {
  constructor(
    private readonly store: StoreService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * List the orders of your account
   *
   * @remarks Orders are sorted by id, so the newest come last. If there are more, the `Link` header contains the URL of
   * the next page (RFC 8288). Use the URL unchanged.
   */
  @Get()
  @ApiPageResponse('Orders', Order, '/v1/store/orders?limit=1&after=1')
  @ApiErrors(INVALID_LIMIT)
  async listOrders(
    @Query() query: PageQuery,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<readonly Order[]> {
    return sendPage(response, query, await this.store.list(caller.account.id, query));
  }

  /**
   * Order an animal
   *
   * @remarks Placing an order does not change the animal.
   */
  @Post()
  @ApiCreatedResponse({ type: Order, description: 'The order.', headers: REPLAYED })
  @Idempotent()
  @ApiErrors(new InvalidRequest('petId is required.'), new NotFound('animal', 1n), ...BODY_ERRORS)
  placeOrder(@Body() newOrder: NewOrder, @IdempotentRequest() request: IdempotentRequest): Promise<Order> {
    return this.idempotency.run(request, newOrder, (transaction) =>
      this.store.place(request.accountId, newOrder, transaction),
    );
  }
}
