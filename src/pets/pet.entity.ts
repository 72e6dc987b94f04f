import { Check, Column, Entity, Index } from 'typeorm';

import { bigintTransformer, IdentityColumn } from '../database/table.js';
import type { PetStatus } from './pet.dto.js';

/** The table of animals, as the migrations create it. The statements of the repository have all its columns. */
@Entity('pet')
@Index('pet_status_id_idx', ['status', 'id'])
@Check('pet_status_check', `status IN ('available', 'pending', 'sold')`)
export class PetEntity {
  @IdentityColumn('pet_pkey')
  id!: bigint;

  @Column('text')
  name!: string;

  @Column('bigint', { transformer: bigintTransformer, name: 'category_id' })
  categoryId!: bigint;

  @Column('text', { nullable: true })
  status!: PetStatus | null;
}
