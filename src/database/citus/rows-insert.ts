import type { Table } from '../table.js';

/**
 * Returns an INSERT of rows as a `VALUES` list, with its parameters. Citus inserts such a list many times faster than
 * the rows of a query.
 */
export function insertRows<Entity extends object>(
  table: Table<Entity>,
  rows: readonly object[],
): { text: string; values: unknown[] } {
  const { inserted, name } = table;
  const lists = rows.map((_row, index) => {
    const parameters = inserted.map(
      ({ type }, column) => `$${index * inserted.length + column + 1}::${type}`,
    );
    return `(${parameters.join(', ')})`;
  });
  return {
    text: `INSERT INTO ${name} (${table.insertedNames}) VALUES ${lists.join(', ')}`,
    values: rows.flatMap((row: Partial<Entity>) => inserted.map(({ property }) => row[property])),
  };
}
