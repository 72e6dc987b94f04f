import pg from 'pg';

/** Runs SQL on a PostgreSQL, on a separate connection. Returns the rows of the last statement. */
export async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
