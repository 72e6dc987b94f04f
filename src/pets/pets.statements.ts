import { namedStatements } from '../database/session.js';
import type { Table } from '../database/table.js';
import { MAX_PAGE_BYTES, MAX_PAGE_SIZE } from '../limits.js';

/** JSON has six characters for a control character: pages whose rows have no more text than this fit into a page. */
const MAX_SHORT_TEXT_BYTES = Math.floor(MAX_PAGE_BYTES / MAX_PAGE_SIZE / 6);

/** Returns the statements of the repository. All reads have the condition for the account that reads. */
export function petStatements(table: Table, condition?: (accountId: string) => string) {
  const { columns } = table;
  const where = condition ? `WHERE (${condition('read.account_id')}) AND` : 'WHERE';
  const all: Slices = {
    slices: `unnest($1::bigint[], $2::bigint[], $3::bigint[])
      WITH ORDINALITY AS read (account_id, after, count, number)`,
    rowsAfter: (id) => `FROM pet ${where} id > ${id}`,
    order: 'id',
  };
  // ORDER BY status makes the planner use the index on (status, id). Otherwise it may walk the primary key, past all
  // animals of other statuses.
  const byStatus: Slices = {
    slices: `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[])
      WITH ORDINALITY AS read (account_id, after, count, status, number)`,
    rowsAfter: (id) => `FROM pet ${where} status = ANY (ARRAY[read.status]) AND id > ${id}`,
    order: 'status, id',
  };
  return namedStatements({
    'pet-insert': `${table.insertFromJson()} RETURNING ${columns}`,

    // The result depends on the account only with a condition, and the shorter statement is faster.
    'pet-get': condition
      ? `SELECT read.number::int AS read, pet.*
        FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS read (pet_id, account_id, number)
        CROSS JOIN LATERAL (SELECT ${columns} FROM pet ${where} id = read.pet_id) AS pet`
      : `SELECT ${columns} FROM pet WHERE id = ANY($1::bigint[])`,

    'pet-list': pagesAsTexts(table, all),
    'pet-list-by-status': pagesAsTexts(table, byStatus),
    'pet-list-rows': pagesAsRows(table, all),
    'pet-list-rows-by-status': pagesAsRows(table, byStatus),

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
 * Returns a statement that reads slices: up to `count` animals after an id each. The planner uses the same plan for each
 * slice as for a list of its own.
 *
 * A slice is one JSON text, with the id after which more follow. The text is null if it could be longer than a page,
 * because PostgreSQL would take long to write it.
 */
function pagesAsTexts({ json, textBytes }: Table, { slices, rowsAfter, order }: Slices): string {
  return `SELECT CASE WHEN page.longest <= ${MAX_SHORT_TEXT_BYTES} AND octet_length(page.items) <= ${MAX_PAGE_BYTES} - 2
          THEN '[' || page.items || ']' END AS text,
        CASE WHEN (SELECT true ${rowsAfter('page.last')} ORDER BY ${order} LIMIT 1) THEN page.last END AS "nextAfter"
      FROM ${slices}
      CROSS JOIN LATERAL (
        SELECT coalesce(string_agg(${json ?? 'NULL'}, ',') FILTER (WHERE ${textBytes} <= ${MAX_SHORT_TEXT_BYTES}), '') AS items,
          coalesce(max(${textBytes}), 0) AS longest, max(id) AS last
        FROM (SELECT * ${rowsAfter('read.after')} ORDER BY ${order} LIMIT read.count) AS pet
      ) AS page
      ORDER BY read.number`;
}

/**
 * Returns a statement that reads the same slices as rows, with one more than the slice has. It ends behind the row whose
 * texts fill a page, and one more.
 */
function pagesAsRows({ columns, textBytes }: Table, { slices, rowsAfter, order }: Slices): string {
  return `SELECT read.number::int AS read, page.*
      FROM ${slices}
      CROSS JOIN LATERAL (
        SELECT ${columns}
        FROM (
          SELECT *, sum(${textBytes}) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS bytes_before
          FROM (SELECT * ${rowsAfter('read.after')} ORDER BY ${order} LIMIT read.count + 1) AS pet
        ) AS pet
        WHERE coalesce(bytes_before, 0) < ${MAX_PAGE_BYTES}
      ) AS page
      ORDER BY read.number, page.id`;
}
