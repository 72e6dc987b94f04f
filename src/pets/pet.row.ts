import type { NewPet, Pet, PetStatus } from './pet.dto.js';

/** The columns of a {@link PetRow}, for SELECT. */
export const PET_COLUMNS = 'id, name, category_id, status';

/** A row of the table of animals. */
export interface PetRow {
  id: bigint;
  name: string;
  category_id: bigint;
  status: PetStatus | null;
}

/** Converts a row to an animal. */
export function toPet({ id, name, category_id: categoryId, status }: PetRow): Pet {
  return { id, name, categoryId, ...(status !== null && { status }) };
}

/** Creates the animal of an inserted row. No column has a default or a trigger. */
export function toAddedPet(id: bigint, { name, categoryId, status }: NewPet): Pet {
  return { id, name, categoryId, ...(status !== undefined && { status }) };
}
