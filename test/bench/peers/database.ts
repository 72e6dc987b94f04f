// The pool, the prepared statements and the keys of the peer that uses pg directly.
import { createHash, randomUUID } from 'node:crypto';

import pg from 'pg';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const COLUMNS = 'id, name, category_id, status';
const LIST = { name: 'list', text: `SELECT ${COLUMNS} FROM pet WHERE id > $2 ORDER BY id LIMIT $1` };
const LIST_BY_STATUS = {
  name: 'list-by-status',
  text: `SELECT ${COLUMNS} FROM pet WHERE status = $3 AND id > $2 ORDER BY id LIMIT $1`,
};
const GET = { name: 'get', text: `SELECT ${COLUMNS} FROM pet WHERE id = $1` };
const INSERT = {
  name: 'insert',
  text: `INSERT INTO pet (name, category_id, status) VALUES ($1, $2, $3) RETURNING id`,
};
const INSERT_MESSAGE = {
  name: 'insert-message',
  text: `INSERT INTO message (id, account_id, message, status, created_at) VALUES ($1, $2, $3, $4, $5)`,
};

const STATUSES: readonly unknown[] = ['available', 'pending', 'sold'];

interface NewPet {
  name: string;
  categoryId: number;
  status?: string;
}

interface Row {
  id: number;
  name: string;
  category_id: number;
  status: string | null;
}

function toPet({ id, name, category_id: categoryId, status }: Row) {
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status };
}

interface ListQuery {
  limit: number;
  status: string | undefined;
  after: string;
}

export async function listPets({ limit, status, after }: ListQuery) {
  const query =
    status === undefined
      ? { ...LIST, values: [limit, after] }
      : { ...LIST_BY_STATUS, values: [limit, after, status] };
  return (await pool.query<Row>(query)).rows.map(toPet);
}

export async function findPet(id: number) {
  const [row] = (await pool.query<Row>({ ...GET, values: [id] })).rows;
  return row && toPet(row);
}

export async function createPet({ name, categoryId, status }: NewPet) {
  const { rows } = await pool.query<{ id: number }>({ ...INSERT, values: [name, categoryId, status] });
  return { id: rows[0]?.id, name, categoryId, ...(status !== undefined && { status }) };
}

export async function queueMessage(accountId: number, message: string) {
  const queued = { id: randomUUID(), message, status: 'queued', createdAt: new Date() };
  const values = [queued.id, accountId, message, queued.status, queued.createdAt];
  await pool.query({ ...INSERT_MESSAGE, values });
  return queued;
}

const { rows: keys } = await pool.query<{ hash: string; accountId: number }>(
  `SELECT encode(hash, 'hex') AS hash, account_id AS "accountId" FROM api_key WHERE revoked_at IS NULL`,
);
const accounts = new Map(keys.map(({ hash, accountId }) => [hash, accountId]));

/** Returns the account of the key in the header, or undefined if the header has no active key. */
export function accountOf(authorization: string | undefined): number | undefined {
  if (!authorization?.startsWith('Bearer ')) return undefined;
  return accounts.get(createHash('sha256').update(authorization.slice(7)).digest('hex'));
}

/** Returns the body as an animal to add, or undefined if it is invalid. */
export function toNewPet(body: unknown): NewPet | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { name, categoryId, status } = body as Record<string, unknown>;
  if (typeof name !== 'string' || !Number.isSafeInteger(categoryId)) return undefined;
  if (status !== undefined && !STATUSES.includes(status)) return undefined;
  return body as NewPet;
}

/** Returns the query parameters of a list, or undefined if they are invalid. */
export function toListQuery(
  limit: unknown = '20',
  status?: unknown,
  after: unknown = '0',
): ListQuery | undefined {
  if (typeof limit !== 'string' || !/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100) {
    return undefined;
  }
  if (status !== undefined && !STATUSES.includes(status)) return undefined;
  if (typeof after !== 'string' || !/^\d+$/.test(after)) return undefined;
  return { limit: Number(limit), status: status as string | undefined, after };
}
