import { namedStatements } from '../database/session.js';
import type { Table } from '../database/table.js';
import type { PetEntity } from './pet.entity.js';

/** Returns the statements of the repository, which have the columns of the entity. */
export function petStatements(table: Table<PetEntity>) {
  const { columns } = table;
  return namedStatements({
    'pet-insert': `${table.insertFromJson()} RETURNING ${columns}`,

    'pet-get': `SELECT ${columns} FROM pet WHERE id = ANY($1::bigint[])`,

    'pet-list': pagesOf(table, {
      slices: 'unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS slice (after, count, number)',
      rowsAfter: (id) => `FROM pet WHERE id > ${id} ORDER BY id`,
    }),

    // ORDER BY status makes the planner use the index on (status, id). Otherwise it may walk the primary key, past all
    // animals of other statuses.
    'pet-list-by-status': pagesOf(table, {
      slices: `unnest($1::bigint[], $2::bigint[], $3::text[])
        WITH ORDINALITY AS slice (after, count, status, number)`,
      rowsAfter: (id) =>
        `FROM pet WHERE status = ANY (ARRAY[slice.status]) AND id > ${id} ORDER BY status, id`,
    }),

    'no-idle-timeout': 'SET LOCAL idle_in_transaction_session_timeout = 0',
  });
}

/** The slices of a table to read, and the rows of a slice: those after an id. */
interface Slices {
  readonly slices: string;
  readonly rowsAfter: (id: string) => string;
}

/**
 * Returns a statement that reads slices: up to `count` animals after an id each, and whether there are more. The planner
 * uses the same plan for each slice as for a list of its own.
 *
 * A slice is one JSON text, if PostgreSQL can write it, or else rows, with one more than the slice has.
 */
function pagesOf({ columns, json }: Table<PetEntity>, { slices, rowsAfter }: Slices): string {
  if (json === undefined) {
    return `SELECT slice.number::int AS slice, page.*
      FROM ${slices}
      CROSS JOIN LATERAL (SELECT ${columns} ${rowsAfter('slice.after')} LIMIT slice.count + 1) AS page
      ORDER BY slice.number, page.id`;
  }
  return `SELECT concat('[', page.items, ']') AS items,
        CASE WHEN (SELECT true ${rowsAfter('page.last')} LIMIT 1) THEN page.last END AS "nextAfter"
      FROM ${slices}
      CROSS JOIN LATERAL (
        SELECT string_agg(${json}, ',') AS items, max(id) AS last
        FROM (SELECT * ${rowsAfter('slice.after')} LIMIT slice.count) AS pet
      ) AS page
      ORDER BY slice.number`;
}
