import { Column, CreateDateColumn, Entity, Unique } from 'typeorm';

import { IdentityColumn } from '../../database/table.js';

/** The table of accounts, as the migrations create it. */
@Entity('account')
@Unique('account_name_key', ['name'])
export class AccountEntity {
  @IdentityColumn('account_pkey')
  id!: bigint;

  @Column('text')
  name!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;
}
