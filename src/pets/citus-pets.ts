import { type DistributedTable, splitByWorker } from '../database/citus/split-by-worker.js';
import { valuesList } from '../database/citus/values-list.js';
import type { Session, Statement } from '../database/session.js';
import type { NewPet } from './pet.dto.js';

const PET: DistributedTable = { name: 'pet', keyType: 'bigint' };

const COLUMN_TYPES = ['bigint', 'text', 'bigint', 'text'];

const INSERT_ONE: Statement = {
  name: 'pet-insert-one',
  text: 'INSERT INTO pet (name, category_id, status) VALUES ($1, $2, $3) RETURNING id',
};

const NEXT_IDS: Statement = {
  name: 'pet-next-ids',
  text: `SELECT nextval(pg_get_serial_sequence('pet', 'id')) AS id FROM generate_series(1, $1::int)`,
};

interface NumberedPet {
  readonly id: bigint;
  readonly pet: NewPet;
}

/**
 * Inserts animals on Citus in one statement, and returns their ids in ascending order. Citus returns inserted rows in
 * the order of the shards, so the ids are assigned first.
 */
export async function insertPets(session: Session, pets: readonly NewPet[]): Promise<bigint[]> {
  const [first] = pets;
  return first && pets.length === 1
    ? [await insertOne(session, first)]
    : insertNumbered(session, await number(session, pets));
}

/** Inserts animals on Citus with one statement for each worker. Returns a promise of the id for each animal. */
export async function insertPetsByWorker(
  session: Session,
  pets: readonly NewPet[],
): Promise<(bigint | Promise<bigint>)[]> {
  if (pets.length === 1) return insertPets(session, pets);
  const numbered = await number(session, pets);
  return splitByWorker(
    session,
    PET,
    numbered,
    ({ id }) => id,
    (ofWorker) => insertNumbered(session, ofWorker),
  );
}

/** Finds animals on Citus with one statement for each worker. */
export function findPetsByWorker<Found>(
  session: Session,
  ids: readonly bigint[],
  find: (ids: bigint[]) => Promise<Found[]>,
): Promise<Promise<Found>[]> {
  return splitByWorker(session, PET, ids, (id) => id, find);
}

async function insertOne(session: Session, { name, categoryId, status }: NewPet): Promise<bigint> {
  const { id } = await session.queryOne<{ id: bigint }>(INSERT_ONE, [name, categoryId, status]);
  return id;
}

async function number(session: Session, pets: readonly NewPet[]): Promise<NumberedPet[]> {
  const ids = await session.query<{ id: bigint }>(NEXT_IDS, [pets.length]);
  return ids.flatMap(({ id }, index) => {
    const pet = pets[index];
    return pet ? [{ id, pet }] : [];
  });
}

async function insertNumbered(session: Session, numbered: readonly NumberedPet[]): Promise<bigint[]> {
  const statement: Statement = {
    name: 'pet-insert',
    text: `INSERT INTO pet (id, name, category_id, status) VALUES ${valuesList(COLUMN_TYPES, numbered.length)}`,
    varies: true,
  };
  const values = numbered.flatMap(({ id, pet }) => [id, pet.name, pet.categoryId, pet.status]);
  await session.query(statement, values);
  return numbered.map(({ id }) => id);
}
