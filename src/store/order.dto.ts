import { ApiProperty } from '@nestjs/swagger';

import { Int64Field, OpenEnumField } from '../http/validation/field.decorators.js';

/** The progress of an order. New values may be added. */
export enum OrderStatus {
  Placed = 'placed',
}

/** An order to place. */
export class NewOrder {
  /** Identifier of the animal to order. */
  @Int64Field({ example: 1 })
  readonly petId!: bigint;
}

/** An order of your account. */
export class Order {
  /** Unique identifier, assigned by the service. Ids rise with the order of insertion, not of commit: an order with a
   * smaller id can appear later. */
  @Int64Field({ example: 1 })
  readonly id!: bigint;

  /** Identifier of the animal that was ordered. */
  @Int64Field({ example: 1 })
  readonly petId!: bigint;

  /** The progress of the order. New values may be added. */
  @OpenEnumField(OrderStatus, { example: 'placed' })
  readonly status!: string;

  /** When the order was placed, in UTC. */
  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: Date;
}
