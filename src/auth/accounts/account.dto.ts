import { ApiProperty } from '@nestjs/swagger';

import { Int64Field, NameField } from '../../http/field.decorators.js';

/** An account to make. */
export class NewAccount {
  /** What you call the account. Others may call theirs the same. */
  @NameField({ example: 'Kitty Corner' })
  readonly name!: string;
}

/** Whose orders and keys are kept together. */
export class Account {
  /** Identifier of the account. */
  @Int64Field({ example: 3 })
  readonly id!: bigint;

  /** The name as you gave it, and a few characters that make it like no other. An operator knows the account by it. */
  @ApiProperty({ example: 'Kitty Corner-8c1f0a3e' })
  readonly name!: string;

  /** When the account was made, in UTC. */
  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: Date;
}

/** An account that was just made, and the key to it. */
export class CreatedAccount {
  @ApiProperty({ description: 'The account.' })
  readonly account!: Account;

  /** Its first key. It is shown this once. */
  @ApiProperty({ example: 'ps_4fJ2kQ0aZ81LmNoPqRsTuVwXyZa1bcD3xK9' })
  readonly key!: string;
}
