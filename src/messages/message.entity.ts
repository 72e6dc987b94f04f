import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintTransformer } from '../database/table.js';
import { AccountEntity } from '../auth/accounts/account.entity.js';

/** The progress of a message. New values may be added. */
export enum MessageStatus {
  Queued = 'queued',
}

/** The table of messages, as the migrations create it. */
@Entity('message')
@Index('message_due_at_id_idx', ['dueAt', 'id'], { where: 'delivered_at IS NULL AND parked_at IS NULL' })
@Index('message_parked_id_idx', ['id'], { where: 'parked_at IS NOT NULL' })
@Index('message_delivered_at_idx', ['deliveredAt'], { where: 'delivered_at IS NOT NULL' })
@Check('message_status_check', `status IN ('queued')`)
export class MessageEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'message_pkey' })
  id!: string;

  @Column('bigint', { transformer: bigintTransformer, name: 'account_id' })
  @ForeignKey(() => AccountEntity, { name: 'message_account_id_fkey' })
  accountId!: bigint;

  @Column('text')
  message!: string;

  @Column('text')
  status!: MessageStatus;

  @Column({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;

  /** When the message may be delivered: the time of the next attempt or, during an attempt, the end of the lease. */
  @Column({ type: 'timestamptz', name: 'due_at', default: () => 'now()', insert: false })
  dueAt!: Date;

  @Column({ type: 'integer', default: 0, insert: false })
  attempts!: number;

  @Column({ type: 'text', name: 'last_error', nullable: true, insert: false })
  lastError!: string | null;

  @Column({ type: 'timestamptz', precision: 3, name: 'delivered_at', nullable: true, insert: false })
  deliveredAt!: Date | null;

  /** When the last attempt failed. */
  @Column({ type: 'timestamptz', precision: 3, name: 'parked_at', nullable: true, insert: false })
  parkedAt!: Date | null;
}
