import { namedStatements } from '../database/session.js';
import type { Table } from '../database/table.js';
import { MAX_PAGE_BYTES } from '../limits.js';
import type { PetEntity } from './pet.entity.js';

/**
 * Returns the statements of the repository, which have the columns of the entity.
 *
 * @param condition returns the condition of all reads, for an expression with the account that reads
 */
export function petStatements(table: Table<PetEntity>, condition?: (accountId: string) => string) {
  const { columns } = table;
  const where = condition ? `WHERE (${condition('read.account_id')}) AND` : 'WHERE';
  return namedStatements({
    'pet-insert': `${table.insertFromJson()} RETURNING ${columns}`,

    // The result depends on the account only with a condition, and the shorter statement is faster.
    'pet-get': condition
      ? `SELECT read.number::int AS read, pet.*
        FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS read (pet_id, account_id, number)
        CROSS JOIN LATERAL (SELECT ${columns} FROM pet ${where} id = read.pet_id) AS pet`
      : `SELECT ${columns} FROM pet WHERE id = ANY($1::bigint[])`,

    'pet-list': pagesOf(table, {
      slices: `unnest($1::bigint[], $2::bigint[], $3::bigint[])
        WITH ORDINALITY AS read (account_id, after, count, number)`,
      rowsAfter: (id) => `FROM pet ${where} id > ${id}`,
      order: 'id',
    }),

    // ORDER BY status makes the planner use the index on (status, id). Otherwise it may walk the primary key, past all
    // animals of other statuses.
    'pet-list-by-status': pagesOf(table, {
      slices: `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[])
        WITH ORDINALITY AS read (account_id, after, count, status, number)`,
      rowsAfter: (id) => `FROM pet ${where} status = ANY (ARRAY[read.status]) AND id > ${id}`,
      order: 'status, id',
    }),

    'no-idle-timeout': 'SET LOCAL idle_in_transaction_session_timeout = 0',
  });
}

/** The slices of a table to read, and the rows of a slice: those after an id, in an order. */
interface Slices {
  readonly slices: string;
  readonly rowsAfter: (id: string) => string;
  readonly order: string;
}

/**
 * Returns a statement that reads slices: up to `count` animals after an id each, and whether there are more. The planner
 * uses the same plan for each slice as for a list of its own.
 *
 * A slice is one JSON text, if PostgreSQL can write it, or else rows, with one more than the slice has. The text ends
 * behind the animal with which its texts fill a page, because PostgreSQL would take long to write what does not fit.
 */
function pagesOf(
  { columns, json, textBytes }: Table<PetEntity>,
  { slices, rowsAfter, order }: Slices,
): string {
  const sliceOf = (expressions: string, count: string) =>
    `SELECT ${expressions} ${rowsAfter('read.after')} ORDER BY ${order} LIMIT ${count}`;
  if (json === undefined) {
    return `SELECT read.number::int AS read, page.*
      FROM ${slices}
      CROSS JOIN LATERAL (${sliceOf(columns, 'read.count + 1')}) AS page
      ORDER BY read.number, page.id`;
  }
  return `SELECT concat('[', page.items, ']') AS items,
        CASE WHEN (SELECT true ${rowsAfter('page.last')} ORDER BY ${order} LIMIT 1) THEN page.last END AS "nextAfter"
      FROM ${slices}
      CROSS JOIN LATERAL (
        SELECT string_agg(${json}, ',') AS items, max(id) AS last
        FROM (
          SELECT *, sum(${textBytes}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - (${textBytes}) AS bytes_before
          FROM (${sliceOf('*', 'read.count')}) AS pet
        ) AS pet
        WHERE bytes_before < ${MAX_PAGE_BYTES}
      ) AS page
      ORDER BY read.number`;
}
