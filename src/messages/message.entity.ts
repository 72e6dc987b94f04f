import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

import { AccountEntity } from '../auth/account.entity.js';

/** The columns of a message. */
@Entity('message')
@Check('message_status_check', `status IN ('queued')`)
export class MessageEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'message_pkey' })
  id!: string;

  @Column('bigint', { name: 'account_id' })
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
}
