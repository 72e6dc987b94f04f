import { Injectable } from '@nestjs/common';

import { Database, type Statement } from '../database/database.js';
import type { NewPet, Pet, PetStatus } from './pet.dto.js';

const COLUMNS = 'id, name, category_id, status';

const INSERT: Statement = {
  name: 'pet-insert',
  text: `INSERT INTO pet (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
};

const GET: Statement = {
  name: 'pet-get',
  text: `SELECT ${COLUMNS} FROM pet WHERE id = $1`,
};

const LIST: Statement = {
  name: 'pet-list',
  text: `SELECT ${COLUMNS} FROM pet WHERE id > $1 ORDER BY id LIMIT $2`,
};

const LIST_BY_STATUS: Statement = {
  name: 'pet-list-by-status',
  text: `SELECT ${COLUMNS} FROM pet WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2`,
};

/** The animals in the database. */
@Injectable()
export class PetsRepository {
  constructor(private readonly database: Database) {}

  async insert(pet: NewPet): Promise<Pet> {
    return toPet(await this.database.queryOne<PetRow>(INSERT, [pet.name, pet.categoryId, pet.status]));
  }

  async find(id: bigint): Promise<Pet | undefined> {
    const [row] = await this.database.query<PetRow>(GET, [id]);
    return row && toPet(row);
  }

  /** The first `limit` animals after an id, in the order of ids. */
  async list(status: PetStatus | undefined, after: bigint, limit: number): Promise<Pet[]> {
    const rows = status
      ? await this.database.query<PetRow>(LIST_BY_STATUS, [after, limit, status])
      : await this.database.query<PetRow>(LIST, [after, limit]);
    return rows.map(toPet);
  }
}

interface PetRow {
  id: bigint;
  name: string;
  category_id: bigint;
  status: PetStatus | null;
}

function toPet({ id, name, category_id: categoryId, status }: PetRow): Pet {
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status };
}
