import { Check, Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';

import { bigintTransformer, IdentityColumn } from '../database/table.js';
import { AccountEntity } from '../auth/accounts/account.entity.js';
import { PetEntity } from '../pets/pet.entity.js';

/** The table of orders, as the migrations create it. */
@Entity('store_order')
@Index('store_order_account_id_id_idx', ['accountId', 'id'])
@Check('store_order_status_check', `status IN ('placed')`)
export class OrderEntity {
  @IdentityColumn('store_order_pkey')
  id!: bigint;

  @Column('bigint', { transformer: bigintTransformer, name: 'account_id' })
  accountId!: bigint;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'store_order_account_id_fkey' })
  account!: AccountEntity;

  @Column('bigint', { transformer: bigintTransformer, name: 'pet_id' })
  petId!: bigint;

  @ManyToOne(() => PetEntity)
  @JoinColumn({ name: 'pet_id', foreignKeyConstraintName: 'store_order_pet_id_fkey' })
  pet!: PetEntity;

  @Column('text')
  status!: string;

  @Column({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;
}
