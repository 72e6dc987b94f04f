import { readFileSync } from 'node:fs';

import { Inject, Injectable, Module } from '@nestjs/common';
import { Column, type ColumnOptions, type ColumnType, Entity } from 'typeorm';
import { expect, onTestFinished, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';
import { batchItems } from '#src/metrics';
import { CitusPetsRepository } from '#src/pets/citus-pets.repository';
import { parseJson, stringifyJson } from '#src/domain/json';
import { type Pet, PetStatus } from '#src/pets/pet.dto';
import { PetEntity } from '#src/pets/pet.entity';
import { PetsModule, type PetsOptions } from '#src/pets/pets.module';
import { PetsRepository } from '#src/pets/pets.repository';
import { PetsService } from '#src/pets/pets.service';
import { StoreService } from '#src/store/store.service';

import { createDatabaseForTest, onCitus, runSql } from '../support/database.ts';
import { FEATURES, rootOf } from '../support/root.ts';

/** Creates the service with replaced parts, on a database that has the columns of a team. */
async function createWith(options: PetsOptions, ...statements: string[]) {
  const database = await createDatabaseForTest();
  await runSql(
    database,
    'ALTER TABLE pet ADD COLUMN "bornOn" date, ADD COLUMN note text',
    `INSERT INTO pet (name, category_id, "bornOn", note) VALUES ('Tom', 1, '2020-02-03', 'secret')`,
    ...statements,
  );
  const modules = FEATURES.map((each) => (each === PetsModule ? PetsModule.register(options) : each));
  const config = readConfig({ LOG_LEVEL: 'silent', ...database.environment });
  const app = await createApp(rootOf(modules, { config }), { logger: false });
  onTestFinished(() => app.close());
  return app;
}

@Entity('pet')
class OwnPetEntity extends PetEntity {
  @Column('date', { nullable: true })
  bornOn!: string | null;

  @Column('text', { nullable: true, select: false })
  note!: string | null;
}

test('a date is the day that is stored, and a column that is not selected is not read', async () => {
  const pets = (await createWith({ entity: OwnPetEntity })).get(PetsService);
  expect(await pets.get(1n, 1n)).toEqual({ id: 1n, name: 'Tom', categoryId: 1n, bornOn: '2020-02-03' });
});

test.each<ColumnOptions>([{ type: 'simple-array' }, { type: 'enum', enum: ['a'] }])(
  'a column of the type $type, which PostgreSQL lacks, stops the start with one sentence',
  async (options) => {
    class Wrong extends PetEntity {}
    Entity('pet')(Wrong);
    Column({ ...options, nullable: true })(Wrong.prototype, 'note');
    await expect(createWith({ entity: Wrong })).rejects.toThrow(
      'The column note of pet must have a type of PostgreSQL',
    );
  },
);

test.each<ColumnOptions & { type: ColumnType }>([
  { type: 'numeric' },
  { type: 'numeric', precision: 16, scale: 2 },
  { type: 'bytea' },
  { type: 'interval' },
  { type: 'point' },
  { type: 'date', array: true },
])(
  'a column of the type $type, which has no exact form in JSON, stops the start with one sentence',
  async (options) => {
    class Wrong extends PetEntity {}
    Entity('pet')(Wrong);
    Column({ ...options, nullable: true })(Wrong.prototype, 'note');
    await expect(createWith({ entity: Wrong })).rejects.toThrow(
      `The column note of pet has the type ${String(options.type)}${options.array ? '[]' : ''}, which has no exact form in JSON.`,
    );
  },
);

test('a column of each documented type has the documented form in JSON, which an insert accepts again', async () => {
  const rows = [
    ...readFileSync('docs/extending.md', 'utf8').matchAll(
      /^\| `([a-z ]+)(?:\((\d+),(\d+)\))?(\[\])?` \| .* \| `(.*)` \|$/gm,
    ),
  ];
  expect(rows.length).toBeGreaterThan(20);
  class Typed extends PetEntity {}
  const columns = rows.map(([, type = '', precision, scale, array], index) => {
    const name = `column_${index}`;
    Column({
      type: type as ColumnType & string,
      nullable: true,
      array: array !== undefined,
      ...(precision && { precision: Number(precision), scale: Number(scale) }),
    })(Typed.prototype, name);
    return `ADD COLUMN ${name} ${type}${precision ? `(${precision},${scale})` : ''}${array ?? ''}`;
  });
  Entity('pet')(Typed);
  const app = await createWith({ entity: Typed }, `ALTER TABLE pet ${columns.join(', ')}`);
  const pets = app.get(PetsService);
  const values = rows.map(([, , , , , example = '']) => example);
  const fields = values.map((value, index) => `"column_${index}":${value}`).join();
  const create = (text: string) => pets.create(1n, parseJson(text) as Pet);
  const { id } = await create(`{"name":"Tom","categoryId":1,${fields}}`);
  const text = stringifyJson(await pets.get(1n, id));
  expect(text).toBe(`{"id":${id},"name":"Tom","categoryId":1,${fields}}`);
  const page = await pets.list(1n, { after: id - 1n, limit: 20 });
  expect(stringifyJson(page.items)).toBe(`[${text}]`);
  const again = await create(text);
  expect(stringifyJson(again)).toBe(text.replace(`"id":${id}`, `"id":${again.id}`));
});

const HIDDEN = Symbol('Hidden');

/** A module of the team, whose provider the repository injects. */
@Module({ providers: [{ provide: HIDDEN, useValue: 'secret' }], exports: [HIDDEN] })
class HiddenModule {}

/** Each account reads the animals of its own category, except for the hidden ones. */
@Injectable()
class TenantPets extends (onCitus() ? CitusPetsRepository : PetsRepository) {
  @Inject(HIDDEN) private readonly hidden!: string;

  protected override condition(accountId: string): string {
    return `category_id = ${accountId} AND note IS DISTINCT FROM '${this.hidden}'`;
  }
}

test('a condition of the repository applies to all reads, and keeps their batches', async () => {
  const app = await createWith({ repository: TenantPets, imports: [HiddenModule] });
  const [pets, store] = [app.get(PetsService), app.get(StoreService)];
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
  const pets = (await createWith({ repository: TenantPets, imports: [HiddenModule] })).get(PetsService);
  for (const categoryId of [2n, 3n]) await pets.create(1n, { name: 'Kitty', categoryId });
  const pages = await Promise.all([1n, 2n, 3n, 2n].map((id) => pets.list(id, { after: 0n, limit: 20 })));
  expect(pages.map(({ items }) => items.map(({ id }) => id))).toEqual([[], [2n], [3n], [2n]]);
});
