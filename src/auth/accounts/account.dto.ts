import { ApiProperty } from '@nestjs/swagger';

import { Int64Field, NameField } from '../../http/validation/field.decorators.js';

/** An account to create. */
export class NewAccount {
  /** The name of the account. It does not have to be unique. */
  @NameField({ example: 'Kitty Corner' })
  readonly name!: string;
}

/** An account, to which orders, messages and keys belong. */
export class Account {
  /** Identifier of the account. */
  @Int64Field({ example: 3 })
  readonly id!: bigint;

  /** The name that you chose, with a suffix that makes it unique. Operators identify the account by it. */
  @ApiProperty({ example: 'Kitty Corner-8c1f0a3e' })
  readonly name!: string;

  /** When the account was created, in UTC. */
  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: Date;
}

/** A new account and its first key. */
export class CreatedAccount {
  @ApiProperty({ description: 'The account.' })
  readonly account!: Account;

  /** The first key of the account. It is shown only once. */
  @ApiProperty({ example: 'ps_4fJ2kQ0aZ81LmNoPqRsTuVwXyZa1bcD3x' })
  readonly key!: string;
}
