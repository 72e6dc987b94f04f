import { ApiProperty } from '@nestjs/swagger';

import { Int64Field, NameField, TextField } from '../../http/validation/field.decorators.js';

/** A key to create. */
export class NewKey {
  /** The purpose of the key, in your own words. */
  @NameField({ example: 'laptop' })
  readonly label!: string;
}

/** An API key, without the key itself. */
export class Key {
  /** Identifier of the key. */
  @Int64Field({ example: 7 })
  readonly id!: bigint;

  /** The purpose of the key. */
  @TextField({ example: 'laptop' })
  readonly label!: string;

  /** The first characters of the key, which identify it. */
  @TextField({ example: 'ps_4fJ2kQ' })
  readonly start!: string;

  /** When the key was created, in UTC. */
  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: Date;

  /** When the key was last used, to the minute, in UTC. Null if the key was never used. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.000Z' })
  readonly lastUsedAt!: Date | null;
}

/** A new key. */
export class CreatedKey extends Key {
  /** Null, because a new key was never used. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, example: null })
  override readonly lastUsedAt!: Date | null;

  /** The key itself. It is shown only once. */
  @ApiProperty({ example: 'ps_4fJ2kQ0aZ81LmNoPqRsTuVwXyZa1bcD3x' })
  readonly key!: string;
}
