import { ApiProperty } from '@nestjs/swagger';

import { DEFAULT_PAGE_SIZE } from '../domain/page.js';
import { CursorParam, EnumField, Int64Field, LimitParam } from '../http/field.decorators.js';

/** How far an order has come. More values may follow. */
export enum OrderStatus {
  Placed = 'placed',
}

const ORDER_STATUS_SCHEMA = {
  name: 'OrderStatus',
  description: 'How far an order has come. More values may follow.',
};

/** An order to place. */
export class NewOrder {
  /** Identifier of the animal that is ordered. */
  @Int64Field({ example: 1 })
  readonly petId!: bigint;
}

/** An order of your account. */
export class Order {
  /** Unique identifier, assigned by the service. Later orders have larger ones. */
  @Int64Field({ example: 1001 })
  readonly id!: bigint;

  /** Identifier of the animal that was ordered. */
  @Int64Field({ example: 1 })
  readonly petId!: bigint;

  /** How far the order has come. */
  @EnumField(OrderStatus, ORDER_STATUS_SCHEMA, { example: 'placed' })
  readonly status!: OrderStatus;

  /** When the order was placed, in UTC. */
  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: Date;
}

/** Which orders to list. */
export class ListOrdersQuery {
  /** The largest number of orders to return. */
  @LimitParam({ default: DEFAULT_PAGE_SIZE })
  readonly limit?: number;

  /** Return only the orders that come after the one with this id. The `Link` header of a page carries it. */
  @CursorParam()
  readonly after?: bigint;
}
