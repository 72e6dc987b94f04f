import { Column, CreateDateColumn, Entity, ForeignKey, Index } from 'typeorm';

import { bigintTransformer, IdentityColumn } from '../../database/table.js';
import { AccountEntity } from '../accounts/account.entity.js';

/** The table of API keys, as the migrations create it. Only the hash of a key is stored. */
@Entity('api_key')
@Index('api_key_hash_idx', ['hash'], { unique: true, where: 'revoked_at IS NULL' })
@Index('api_key_account_id_id_idx', ['accountId', 'id'], { where: 'revoked_at IS NULL' })
@Index('api_key_account_id_revoked_at_idx', ['accountId', 'revokedAt'], { where: 'revoked_at IS NOT NULL' })
@Index('api_key_revoked_at_idx', ['revokedAt'], { where: 'revoked_at IS NOT NULL' })
export class ApiKeyEntity {
  @IdentityColumn('api_key_pkey')
  id!: bigint;

  @Column('bigint', { transformer: bigintTransformer, name: 'account_id' })
  @ForeignKey(() => AccountEntity, { name: 'api_key_account_id_fkey' })
  accountId!: bigint;

  @Column('text')
  label!: string;

  @Column('bytea')
  hash!: Buffer;

  /** The first characters of the key. */
  @Column('text')
  start!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
