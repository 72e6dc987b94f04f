import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';

import { bigintTransformer } from '../../database/table.js';

/** The table of accounts, as the migrations create it. */
@Entity('account')
@Unique('account_name_key', ['name'])
export class AccountEntity {
  @PrimaryColumn({
    type: 'bigint',
    transformer: bigintTransformer,
    generated: 'identity',
    primaryKeyConstraintName: 'account_pkey',
  })
  id!: bigint;

  @Column('text')
  name!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;
}
