import { Column, type ColumnOptions, Entity } from 'typeorm';
import { expect, onTestFinished, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';
import { PetEntity } from '#src/pets/pet.entity';
import { PetsModule } from '#src/pets/pets.module';
import { PetsService } from '#src/pets/pets.service';

import { createDatabaseForTest, runSql } from '../support/database.ts';
import { FEATURES, rootOf } from '../support/root.ts';

/** Creates the service with an entity of animals that has own columns, on a database that has them, too. */
async function createWith(entity: typeof PetEntity) {
  const database = await createDatabaseForTest();
  await runSql(
    database,
    'ALTER TABLE pet ADD COLUMN "bornOn" date, ADD COLUMN note text',
    `INSERT INTO pet (name, category_id, "bornOn", note) VALUES ('Tom', 1, '2020-02-03', 'secret')`,
  );
  const modules = FEATURES.map((each) => (each === PetsModule ? PetsModule.register({ entity }) : each));
  const config = readConfig({ LOG_LEVEL: 'silent', ...database.environment });
  const app = await createApp(rootOf(modules, { config }), { logger: false });
  onTestFinished(() => app.close());
  return app.get(PetsService);
}

@Entity('pet')
class OwnPetEntity extends PetEntity {
  @Column('date', { nullable: true })
  bornOn!: string | null;

  @Column('text', { nullable: true, select: false })
  note!: string | null;
}

test('a date is the day that is stored, and a column that is not selected is not read', async () => {
  const pets = await createWith(OwnPetEntity);
  expect(await pets.get(1n)).toEqual({ id: 1n, name: 'Tom', categoryId: 1n, bornOn: '2020-02-03' });
});

test.each<ColumnOptions>([{ type: 'simple-array' }, { type: 'enum', enum: ['a'] }])(
  'a column of the type $type, which PostgreSQL lacks, stops the start with one sentence',
  async (options) => {
    class Wrong extends PetEntity {}
    Entity('pet')(Wrong);
    Column({ ...options, nullable: true })(Wrong.prototype, 'note');
    await expect(createWith(Wrong)).rejects.toThrow('The column note of pet must have a type of PostgreSQL');
  },
);
