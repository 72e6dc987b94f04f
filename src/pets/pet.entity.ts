import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

import { bigintTransformer } from '../database/bigint.transformer.js';
import type { NewPet, Pet, PetStatus } from './pet.dto.js';

/** The table of animals, as the migrations create it. */
@Entity('pet')
@Index('pet_status_id_idx', ['status', 'id'])
@Check('pet_status_check', `status IN ('available', 'pending', 'sold')`)
export class PetEntity {
  @PrimaryColumn({
    type: 'bigint',
    transformer: bigintTransformer,
    generated: 'identity',
    primaryKeyConstraintName: 'pet_pkey',
  })
  id!: bigint;

  @Column('text')
  name!: string;

  @Column('bigint', { transformer: bigintTransformer, name: 'category_id' })
  categoryId!: bigint;

  @Column('text', { nullable: true })
  status!: PetStatus | null;
}

/** The columns of an animal, for SELECT. */
export const PET_COLUMNS = 'id, name, category_id AS "categoryId", status';

/** Converts a row to an animal. */
export function toPet({ id, name, categoryId, status }: PetEntity): Pet {
  return { id, name, categoryId, ...(status !== null && { status }) };
}

/** Creates the animal of an inserted row. No column has a default or a trigger. */
export function toAddedPet(id: bigint, { name, categoryId, status }: NewPet): Pet {
  return { id, name, categoryId, ...(status !== undefined && { status }) };
}
