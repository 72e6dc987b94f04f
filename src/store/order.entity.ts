import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';

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

  @Column('bigint', { transformer: bigintTransformer, name: 'account_id', select: false })
  @ForeignKey(() => AccountEntity, { name: 'store_order_account_id_fkey' })
  accountId!: bigint;

  @Column('bigint', { transformer: bigintTransformer, name: 'pet_id' })
  @ForeignKey(() => PetEntity, { name: 'store_order_pet_id_fkey' })
  petId!: bigint;

  @Column('text')
  status!: string;

  @Column({ type: 'timestamptz', precision: 3, name: 'created_at' })
  createdAt!: Date;
}
