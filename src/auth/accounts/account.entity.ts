import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';

/** The columns of an account. */
@Entity('account')
@Unique('account_name_key', ['name'])
export class AccountEntity {
  @PrimaryColumn({ type: 'bigint', generated: 'identity', primaryKeyConstraintName: 'account_pkey' })
  id!: bigint;

  @Column('text')
  name!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;
}
