import type { NewPet, Pet, PetStatus } from './pet.dto.js';

/** The columns of a {@link PetRow}, for SELECT. */
export const PET_COLUMNS = 'id, name, category_id, status';

/** What a statement gives of an animal. */
export interface PetRow {
  id: bigint;
  name: string;
  category_id: bigint;
  status: PetStatus | null;
}

/** The animal of a row. */
export function toPet(row: PetRow): Pet {
  return new StoredPet(row);
}

/** The animal that was added with an id. The rest is as it was sent: no column has a default or a trigger. */
export function toAddedPet(id: bigint, { name, categoryId, status }: NewPet): Pet {
  return new StoredPet({ id, name, category_id: categoryId, status: status ?? null });
}

class StoredPet implements Pet {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;

  constructor({ id, name, category_id: categoryId, status }: PetRow) {
    this.id = id;
    this.name = name;
    this.categoryId = categoryId;
    if (status !== null) this.status = status;
  }
}
