import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintTransformer } from '../database/table.js';
import { AccountEntity } from '../auth/accounts/account.entity.js';

/** The table of idempotency keys with their outcomes, as the migrations create it. */
@Entity('idempotency_key')
@Index('idempotency_key_created_at_idx', ['createdAt'])
export class IdempotencyKeyEntity {
  @PrimaryColumn('bigint', {
    transformer: bigintTransformer,
    name: 'account_id',
    primaryKeyConstraintName: 'idempotency_key_pkey',
  })
  @ForeignKey(() => AccountEntity, { name: 'idempotency_key_account_id_fkey' })
  accountId!: bigint;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_key_pkey' })
  key!: string;

  /** The method and the URL of the request. */
  @Column('text')
  operation!: string;

  /** SHA-256 of the body. */
  @Column('bytea')
  fingerprint!: Buffer;

  /** The result, in JSON. */
  @Column('text')
  outcome!: string;

  @Column({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;
}
