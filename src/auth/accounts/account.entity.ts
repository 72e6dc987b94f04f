import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';

import { bigintTransformer } from '../../database/table.js';
import type { Account } from './account.dto.js';

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

/** The columns of an account, for SELECT. */
export const ACCOUNT_COLUMNS = 'account.id, account.name, account.created_at AS "createdAt"';

/** Converts an account to the response that describes it. */
export function toAccount({ id, name, createdAt }: AccountEntity): Account {
  return { id, name, createdAt };
}
