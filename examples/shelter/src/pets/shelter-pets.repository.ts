import { Injectable } from '@nestjs/common';
import { Page, type Pet, PetsRepository } from 'petstore';

import type { ListShelterPetsQuery } from './shelter-pet.dto.js';

/** Stores animals with the columns of the shelter, and finds them by their microchips. */
@Injectable()
export class ShelterPetsRepository extends PetsRepository {
  override async list(accountId: bigint, query: ListShelterPetsQuery): Promise<Page<Pet>> {
    const { shelterMicrochip, after, limit } = query;
    if (shelterMicrochip === undefined) return super.list(accountId, query);
    const text = `SELECT ${this.table.columns} FROM pet
                  WHERE shelter_microchip = $1 AND id > $2 ORDER BY id LIMIT $3`;
    const pets = await this.replicas.read(accountId, (session) =>
      session.query<Pet>({ name: 'pet-list-by-microchip', text }, [shelterMicrochip, after, limit + 1]),
    );
    return Page.from(this.table.withoutNulls(pets), limit);
  }
}
