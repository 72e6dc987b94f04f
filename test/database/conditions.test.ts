import { Inject, Injectable, Module } from '@nestjs/common';
import { expect, test } from 'vitest';

import { batchItems } from '#src/metrics';
import { CitusPetsRepository } from '#src/pets/citus-pets.repository';
import { PetStatus } from '#src/pets/pet.dto';
import { PetsModule } from '#src/pets/pets.module';
import { PetsRepository } from '#src/pets/pets.repository';
import { PetsService } from '#src/pets/pets.service';
import { StoreService } from '#src/store/store.service';

import { onCitus } from '../support/database.ts';
import { FEATURES } from '../support/root.ts';
import { useService } from '../support/service.ts';

const HIDDEN = Symbol('Hidden');

/** A module of the team, whose provider the repository injects. */
@Module({ providers: [{ provide: HIDDEN, useValue: 'hidden' }], exports: [HIDDEN] })
class HiddenModule {}

/** Each account reads the animals of its own category, except for the hidden ones. */
@Injectable()
class TenantPets extends (onCitus() ? CitusPetsRepository : PetsRepository) {
  @Inject(HIDDEN) private readonly hidden!: string;

  protected override condition(accountId: string): string {
    return `category_id = ${accountId} AND name <> '${this.hidden}'`;
  }
}

const pets = PetsModule.register({ repository: TenantPets, imports: [HiddenModule] });
const service = useService({}, [...FEATURES.filter((feature) => feature !== PetsModule), pets]);

test('a condition of the repository applies to all reads, and keeps their batches', async () => {
  const [pets, store] = [service.app.get(PetsService), service.app.get(StoreService)];
  await pets.create(1n, { name: 'hidden', categoryId: 1n });
  for (const categoryId of [1n, 1n, 2n, 2n]) await pets.create(1n, { name: 'Kitty', categoryId });
  const runs = async () =>
    (await batchItems.get()).values
      .filter(({ metricName, labels }) => metricName?.endsWith('_count') && labels.batch === 'pet-get')
      .reduce((sum, { value }) => sum + value, 0);
  const before = await runs();
  const ids = [1n, 2n, 3n, 4n, 5n];
  for (const [accountId, readable] of [
    [1n, [2n, 3n]],
    [2n, [4n, 5n]],
  ] as const) {
    const [found, page, next, withStatus] = await Promise.all([
      Promise.allSettled(ids.map((id) => pets.get(accountId, id))),
      pets.list(accountId, { after: 0n, limit: 1 }),
      pets.list(accountId, { after: readable[0], limit: 1 }),
      pets.list(accountId, { after: 0n, limit: 20, status: PetStatus.Sold }),
    ]);
    expect(found.flatMap((each) => (each.status === 'fulfilled' ? each.value.id : []))).toEqual(readable);
    expect([page.items[0]?.id, page.nextAfter]).toEqual([readable[0], readable[0]]);
    expect([next.items[0]?.id, next.nextAfter]).toEqual([readable[1], undefined]);
    expect(withStatus.items).toEqual([]);
    await expect(store.place(accountId, { petId: 1n })).rejects.toThrow('There is no animal with the id 1.');
  }
  if (!onCitus()) expect(await runs()).toBe(before + 4);
});

test('accounts that read equal pages at once get their own animals', async () => {
  const pets = service.app.get(PetsService);
  const { id } = await pets.create(1n, { name: 'Kitty', categoryId: 3n });
  const pages = await Promise.all(
    [3n, 4n, 3n].map((account) => pets.list(account, { after: 0n, limit: 20 })),
  );
  expect(pages.map(({ items }) => items.map((pet) => pet.id))).toEqual([[id], [], [id]]);
});
