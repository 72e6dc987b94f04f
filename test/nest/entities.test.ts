import { readFileSync } from 'node:fs';

import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  Column,
  type ColumnOptions,
  type ColumnType,
  Entity,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';
import { Database } from '#src/database/database';
import { parseJson, stringifyJson } from '#src/domain/json';
import type { Pet } from '#src/pets/pet.dto';
import { PetEntity } from '#src/pets/pet.entity';
import { PetsModule } from '#src/pets/pets.module';
import { PetsService } from '#src/pets/pets.service';

import { createDatabase } from '../support/database.ts';
import { FEATURES, type Modules, rootOf } from '../support/root.ts';

/** The rows of the table of types in the documentation: the type, its precision and scale, `[]`, and an example. */
const documented = [
  ...readFileSync('docs/extending.md', 'utf8').matchAll(
    /^\| `([a-z ]+)(?:\((\d+),(\d+)\))?(\[\])?` \| .* \| `(.*)` \|$/gm,
  ),
];

/** An animal with a column of each documented type, and one that is not read. */
@Entity('pet')
class TypedPetEntity extends PetEntity {
  @Column('text', { nullable: true, select: false })
  note!: string | null;
}

const definitions = documented.map(([, type = '', precision, scale, array], index) => {
  Column({
    type: type as ColumnType & string,
    nullable: true,
    array: array !== undefined,
    ...(precision && { precision: Number(precision), scale: Number(scale) }),
  })(TypedPetEntity.prototype, `column_${index}`);
  return `ADD COLUMN column_${index} ${type}${precision ? `(${precision},${scale})` : ''}${array ?? ''}`;
});

class AddColumns1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE pet ADD COLUMN note text, ${definitions.join(', ')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('not used'));
  }
}

/** Returns an entity of animals with a column `note`. */
function entityWith(options: ColumnOptions): Type<PetEntity> {
  class WrongPetEntity extends PetEntity {}
  Entity('pet')(WrongPetEntity);
  Column({ ...options, nullable: true })(WrongPetEntity.prototype, 'note');
  return WrongPetEntity;
}

const SENTENCES = {
  foreign: 'The column note of pet must have a type of PostgreSQL',
  inexact: (type: string) => `The column note of pet has the type ${type}, which has no exact form in JSON.`,
};

/** Entities with columns of types that stop the start, with the sentence for each. */
const WRONG: readonly (readonly [string, Type<PetEntity>, string])[] = (
  [
    [{ type: 'simple-array' }, SENTENCES.foreign],
    [{ type: 'enum', enum: ['a'] }, SENTENCES.foreign],
    [{ type: 'numeric' }, SENTENCES.inexact('numeric')],
    [{ type: 'numeric', precision: 16, scale: 2 }, SENTENCES.inexact('numeric')],
    [{ type: 'bytea' }, SENTENCES.inexact('bytea')],
    [{ type: 'interval' }, SENTENCES.inexact('interval')],
    [{ type: 'point' }, SENTENCES.inexact('point')],
    [{ type: 'date', array: true }, SENTENCES.inexact('date[]')],
  ] as const
).map(([options, sentence]) => [JSON.stringify(options), entityWith(options), sentence]);

const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

/** Starts the service with an entity of animals. */
async function startWith(entity: Type<PetEntity>, more: Modules = []): Promise<NestExpressApplication> {
  const database = await createDatabase();
  ends.unshift(() => database.drop());
  const modules = FEATURES.map((each) => (each === PetsModule ? PetsModule.register({ entity }) : each));
  const config = readConfig({ LOG_LEVEL: 'silent', ...database.environment });
  const root = rootOf([...modules, ...more], { config, migrations: [AddColumns1796000000000] });
  const app = await createApp(root, { logger: false });
  ends.unshift(() => app.close());
  return app;
}

let app: NestExpressApplication;
beforeAll(async () => {
  const wrong = TypeOrmModule.forFeature(WRONG.map(([, entity]) => entity));
  app = await startWith(TypedPetEntity, [wrong]);
});

test.each(WRONG)('an entity with a column of %s is refused in one sentence', (_options, entity, sentence) => {
  expect(() => app.get(Database).table(entity)).toThrow(sentence);
});

test('a start stops that has such an entity', async () => {
  await expect(startWith(entityWith({ type: 'bytea' }))).rejects.toThrow(SENTENCES.inexact('bytea'));
});

test('a column of each documented type has the documented form in JSON, which an insert accepts again', async () => {
  expect(documented.length).toBeGreaterThan(20);
  const pets = app.get(PetsService);
  const fields = documented.map(([, , , , , example = ''], index) => `"column_${index}":${example}`).join();
  const create = (text: string) => pets.create(1n, parseJson(text) as Pet);
  const { id } = await create(`{"name":"Tom","categoryId":1,"note":"not read",${fields}}`);
  const text = stringifyJson(await pets.get(1n, id));
  expect(text).toBe(`{"id":${id},"name":"Tom","categoryId":1,${fields}}`);
  const page = await pets.list(1n, { after: id - 1n, limit: 20 });
  expect(stringifyJson(page.items)).toBe(`[${text}]`);
  const again = await create(text);
  expect(stringifyJson(again)).toBe(text.replace(`"id":${id}`, `"id":${again.id}`));
});
