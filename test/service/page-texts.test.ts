import { inspect } from 'node:util';

import { type CallHandler, type ExecutionContext, Module, type NestInterceptor } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { Column, DataSource, Entity } from 'typeorm';
import { map } from 'rxjs';
import { expect, test } from 'vitest';

import { stringifyJson } from '#src/domain/json';
import { type Pet, PetStatus } from '#src/pets/pet.dto';
import { PetEntity } from '#src/pets/pet.entity';
import { PetsModule } from '#src/pets/pets.module';
import { PetsService } from '#src/pets/pets.service';

import { FEATURES } from '../support/root.ts';
import { startServiceForTest } from '../support/service.ts';

const CONTROLS = Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join('');

/** Animals with all that JSON must escape, or must not change. */
const NAMES = [
  '',
  CONTROLS,
  '"quotes" \\ and / </script>',
  '\u007f\u0080\u00a0\u2028\u2029\ufeff\ufffd\uffff',
  'Zoë 🐈 köttur 犬 \u{10ffff}',
  '{"id":1,"status":null}',
  `,"status":null`,
  '1e400 12345678901234567890',
  '\u0001'.repeat(20_000),
  '🐈'.repeat(20_000),
];

const INT64_BOUNDS = [
  -(2n ** 63n),
  -(2n ** 53n) - 1n,
  -(2n ** 53n),
  -1n,
  0n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
];

const STATUSES = ['available', 'pending', 'sold', undefined];

/** The columns whose JSON text PostgreSQL writes. */
@Entity('pet')
class WrittenPetEntity extends PetEntity {
  @Column('boolean', { nullable: true }) isShy!: boolean | null;
  @Column('smallint', { nullable: true }) legs!: number | null;
  @Column('integer', { nullable: true }) grams!: number | null;
  @Column('bigint', { nullable: true }) chip!: bigint | null;
  @Column('uuid', { nullable: true }) token!: string | null;
  @Column('character varying', { nullable: true, length: 20 }) colour!: string | null;
  @Column('text', { nullable: true, array: true }) toys!: string[] | null;
  @Column('integer', { nullable: true, array: true }) weights!: number[] | null;
  @Column('text', { nullable: true, name: `it's "\\` }) 'it\'s "\\'!: string | null;
}

/** The columns whose JSON text only the service writes. */
@Entity('pet')
class ReadPetEntity extends PetEntity {
  @Column('timestamp with time zone', { nullable: true }) bornAt!: Date | null;
  @Column('date', { nullable: true }) bornOn!: string | null;
  @Column('numeric', { nullable: true, precision: 15, scale: 2 }) price!: number | null;
  @Column('double precision', { nullable: true }) weight!: number | null;
  @Column('jsonb', { nullable: true }) notes!: unknown;
  @Column('bigint', { nullable: true, array: true }) chips!: string[] | null;
}

const COLUMNS = {
  WrittenPetEntity: [
    '"isShy" boolean, ADD legs smallint, ADD grams integer, ADD chip bigint, ADD token uuid, ADD colour varchar(20)',
    `ADD toys text[], ADD weights integer[], ADD "it's ""\\" text`,
  ].join(', '),
  ReadPetEntity: [
    '"bornAt" timestamptz, ADD "bornOn" date, ADD price numeric(15,2), ADD weight float8, ADD notes jsonb',
    'ADD chips bigint[]',
  ].join(', '),
};

const VALUES = {
  WrittenPetEntity: `"isShy" = id % 2 = 0, legs = -32768, grams = 2147483647, chip = 9223372036854775807,
    token = '019a9f3c-5c00-7e1b-8a4d-3f6b2c9d1e0f', colour = 'tan "1"', toys = ARRAY['a', NULL, '"\\,{}'],
    weights = ARRAY[[1, 2], [3, 4]], "it's ""\\" = 'x'`,
  ReadPetEntity: `"bornAt" = '2026-11-21 16:00:00.123987+01', "bornOn" = '2020-02-03', price = 12.30, weight = 1e21,
    notes = '{"b": [1.10, {"status": null}], "a": "x, y: z"}', chips = ARRAY[9223372036854775807]`,
};

async function startWith(entity: typeof WrittenPetEntity | typeof ReadPetEntity) {
  const name = entity.name as keyof typeof COLUMNS;
  const modules = FEATURES.map((each) => (each === PetsModule ? PetsModule.register({ entity }) : each));
  const service = await startServiceForTest({}, modules);
  const dataSource = service.app.get(DataSource);
  await dataSource.query(`ALTER TABLE pet ADD ${COLUMNS[name]}`);
  const animals = [
    ...NAMES.map((animal) => ({ name: animal, categoryId: 1 })),
    ...INT64_BOUNDS.map((categoryId) => ({ name: 'bound', categoryId })),
    ...STATUSES.map((status) => ({ name: 'status', categoryId: 2, status })),
  ];
  for (const animal of animals) expect((await service.client.post('/v1/pets', animal)).status).toBe(201);
  // The first half keeps null.
  await dataSource.query(`UPDATE pet SET ${VALUES[name]} WHERE id % 3 = 0`);
  return service;
}

test.each([
  ['that PostgreSQL writes', WrittenPetEntity],
  ['that only the service writes', ReadPetEntity],
])('a page has the text and the animals of its single rows, with columns %s', async (_columns, entity) => {
  const { app, client } = await startWith(entity);
  const pets = app.get(PetsService);
  const found: Pet[] = [];
  for (let path: string | undefined = '/v1/pets?limit=7'; path;) {
    const { text, headers } = await client.get(path);
    const after = BigInt(new URL(path, client.url).searchParams.get('after') ?? 0);
    const page = await pets.list(1n, { limit: 7, after });
    const single = await Promise.all(page.items.map(({ id }) => pets.get(1n, id)));
    expect(text).toBe(stringifyJson(single));
    expect(page.items).toEqual(single);
    expect(stringifyJson(page.items, 2)).toBe(stringifyJson(single, 2));
    found.push(...single);
    [, path] = /<(.+)>/.exec(headers.get('link') ?? '') ?? [];
  }
  expect(found.slice(0, NAMES.length).map(({ name }) => name)).toEqual(NAMES);
  expect(found.map(({ categoryId }) => categoryId)).toEqual(expect.arrayContaining(INT64_BOUNDS));
  expect(found.slice(-STATUSES.length).map(({ status }) => status)).toEqual(STATUSES);
});

test('an interceptor gets an array of animals with bigints, and its changes reach the client', async () => {
  const seen: unknown[] = [];
  class Rename implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler<Pet[]>) {
      return next.handle().pipe(
        map((pets) => {
          seen.push(
            Array.isArray(pets),
            inspect(pets, { breakLength: Infinity }),
            pets.length,
            pets[0]?.id,
            0 in pets,
            Object.keys(pets),
          );
          for (const pet of pets) Object.assign(pet, { name: `${pet.name}!` });
          return pets;
        }),
      );
    }
  }
  @Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: Rename }] })
  class RenameModule {}

  const { app, client } = await startServiceForTest({}, [...FEATURES, RenameModule]);
  await app
    .get(PetsService)
    .createAll([[{ name: 'Tom', categoryId: 2n ** 53n + 1n, status: PetStatus.Sold }]]);
  const { text } = await client.get('/v1/pets');
  expect(text).toBe('[{"id":1,"name":"Tom!","categoryId":9007199254740993,"status":"sold"}]');
  expect(seen).toEqual([
    true,
    `[ { id: 1n, name: 'Tom', categoryId: 9007199254740993n, status: 'sold' } ]`,
    1,
    1n,
    true,
    ['0'],
  ]);
});

test('a page that nothing reads is an array all the same', async () => {
  const { app } = await startServiceForTest();
  const pets = app.get(PetsService);
  await pets.createAll([[1n, 2n, 3n].map((categoryId) => ({ name: 'Tom', categoryId }))]);
  const list = async () => (await pets.list(1n, { limit: 2, after: 0n })).items;
  const expected = [1n, 2n].map((id) => ({ id, name: 'Tom', categoryId: id }));
  expect([...(await list())]).toEqual(expected);
  expect((await list()).at(-1)).toEqual(expected[1]);
  expect(Object.entries(await list())).toEqual(expected.map((pet, index) => [`${index}`, pet]));
  expect(Object.getOwnPropertyDescriptor(await list(), 0)).toMatchObject({ value: expected[0] });
  expect(structuredClone([...(await list())])).toEqual(expected);
  const sorted = (await list()) as Pet[];
  sorted.sort((a, b) => Number(b.id - a.id));
  expect(stringifyJson(sorted)).toBe(stringifyJson(expected.toReversed()));
});
