import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

import { bigintTransformer } from '../database/bigint.transformer.js';
import { AccountEntity } from '../auth/accounts/account.entity.js';
import type { Message } from './message.dto.js';

/** The table of messages, as the migrations create it. */
@Entity('message')
@Index('message_due_at_id_idx', ['dueAt', 'id'], { where: 'delivered_at IS NULL AND parked_at IS NULL' })
@Index('message_parked_at_idx', ['parkedAt'], { where: 'parked_at IS NOT NULL' })
@Check('message_status_check', `status IN ('queued')`)
export class MessageEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'message_pkey' })
  id!: string;

  @Column('bigint', { transformer: bigintTransformer, name: 'account_id' })
  accountId!: bigint;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'message_account_id_fkey' })
  account!: AccountEntity;

  @Column('text')
  message!: string;

  @Column('text')
  status!: string;

  @Column({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;

  /** When the message may be delivered: the time of the next attempt or, during an attempt, the end of the lease. */
  @Column({ type: 'timestamptz', name: 'due_at', default: () => 'now()' })
  dueAt!: Date;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column({ type: 'timestamptz', precision: 3, name: 'delivered_at', nullable: true })
  deliveredAt!: Date | null;

  /** When the last attempt failed. */
  @Column({ type: 'timestamptz', precision: 3, name: 'parked_at', nullable: true })
  parkedAt!: Date | null;
}

/** A message, and the account that sends it. */
export type MessageOfAccount = Message & { readonly accountId: bigint };

/** The columns of a new message, in the order of {@link valuesOf}. */
export const MESSAGE_COLUMNS = 'id, account_id, message, status, created_at';

/** The values of a new message, for INSERT. */
export function valuesOf({ id, accountId, message, status, createdAt }: MessageOfAccount): unknown[] {
  return [id, accountId, message, status, createdAt.toISOString()];
}
