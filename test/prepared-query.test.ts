import fc from 'fast-check';
import type { Pool, PoolClient } from 'pg';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { expect, inject, onTestFinished, test, vi } from 'vitest';

import { readConfig } from '#src/config/config';
import { dataSourceOptions, openDataSource } from '#src/database/data-source';
import { RowParser } from '#src/database/row-parser';
import { sendingOf } from '#src/database/sending';
import { Session } from '#src/database/session';

import { createDatabase, onPostgres } from './support/database.ts';
import { dataRow, int16, int32, message, poolFor } from './support/scripted-server.ts';

/** The number of the type json, whose values pg reads by JSON.parse. */
const JSON_TYPE = 114;

/** A connection of one's own, so that what runs there for the second time is prepared. */
async function connect(): Promise<{ session: Session; client: PoolClient }> {
  const database = await createDatabase();
  const config = readConfig(database.environment);
  const dataSource = await openDataSource(dataSourceOptions(config));
  const client = await ((dataSource.driver as PostgresDriver).master as Pool).connect();
  onTestFinished(async () => {
    client.release();
    await dataSource.destroy();
    await database.drop();
  });
  return { session: new Session(client, sendingOf(config, 10_000)), client };
}

const MANY_TYPES = {
  name: 'many-types',
  text: `SELECT number, 7::int AS small, number::numeric AS decimal, number > 3 AS large, text,
                nullif(text, '') AS "Or None", interval '1 hour' AS interval, ARRAY[text, NULL] AS list,
                to_jsonb(text) AS json, convert_to(text, 'UTF8') AS bytes,
                timestamptz '2026-11-21 16:00:00.5+01' AS instant
         FROM unnest($1::bigint[], $2::text[]) AS one (number, text)`,
};

test('a statement gives, in every run, the rows that pg gives', async () => {
  const { session, client } = await connect();
  const values = [
    [1n, 2n ** 53n + 1n, -(2n ** 63n)],
    ['a "quoted" \\', '', 'köttur 🐈 {,}'],
  ];
  const { rows } = await client.query<object>(MANY_TYPES.text, values);
  expect(rows).toMatchObject([{ number: 1n }, { 'Or None': null }, { text: 'köttur 🐈 {,}' }]);
  for (let run = 0; run < 3; run++) expect(await session.query(MANY_TYPES, values)).toEqual(rows);
});

test('the rows of a connection are read together', async () => {
  const handlePacket = vi.spyOn(RowParser.prototype, 'handlePacket');
  onTestFinished(() => handlePacket.mockRestore());
  const { session } = await connect();
  handlePacket.mockClear();
  await session.query({ name: 'two', text: 'SELECT generate_series(1, 2)' }, []);
  const codes = handlePacket.mock.calls.map(([, code]) => String.fromCharCode(code));
  expect(codes.filter((code) => code === 'D')).toHaveLength(2);
});

test('arrays of texts, integers and nulls arrive as they were sent', async () => {
  const { session } = await connect();
  const echo = { name: 'echo', text: 'SELECT $1::text[] AS texts, $2::bigint[] AS numbers' };
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
  const number = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const lists = fc.tuple(fc.array(fc.option(text)), fc.array(fc.option(number)));
  await fc.assert(
    fc.asyncProperty(lists, async ([texts, numbers]) => {
      const [row] = await session.query(echo, [texts, numbers]);
      expect(row).toEqual({ texts, numbers: numbers.map((item) => item?.toString() ?? null) });
    }),
  );
});

test('a statement without rows gives none, whether it could have or not', async () => {
  const { session } = await connect();
  const never = { name: 'never', text: 'DELETE FROM pet WHERE id = $1' };
  const mayHave = { name: 'may-have', text: 'DELETE FROM pet WHERE id = $1 RETURNING id' };
  for (const statement of [never, never, mayHave, mayHave]) {
    expect(await session.query(statement, [1n])).toEqual([]);
  }
});

test('a run that fails leaves the statement and the connection as they were', async () => {
  const { session } = await connect();
  const ratio = { name: 'ratio', text: 'SELECT 6 / $1::int AS ratio' };
  const circular: Record<string, unknown> = {};
  circular['itself'] = circular;
  for (let run = 0; run < 2; run++) {
    await expect(session.query(ratio, [0])).rejects.toMatchObject({ code: '22012' });
    await expect(session.query(ratio, [circular])).rejects.toThrow(TypeError);
    expect(await session.query(ratio, [2])).toEqual([{ ratio: 3 }]);
  }
});

test('a statement that cannot be parsed is not taken for prepared', async () => {
  const { session, client } = await connect();
  const later = { name: 'later', text: 'SELECT * FROM made_later' };
  await expect(session.query(later, [])).rejects.toMatchObject({ code: '42P01' });
  await client.query('CREATE TABLE made_later AS SELECT 1 AS one');
  expect(await session.query(later, [])).toEqual([{ one: 1 }]);
});

// Behind a pooler, statements have no names.
const named = test.skipIf(inject('poolerUrl') !== '');

named('a statement whose columns have changed since is refused', async () => {
  const { session, client } = await connect();
  const all = { name: 'all', text: 'SELECT * FROM changing' };
  await client.query('CREATE TABLE changing AS SELECT 1 AS one, 2 AS two');
  expect(await session.query(all, [])).toEqual([{ one: 1, two: 2 }]);
  await client.query('ALTER TABLE changing DROP COLUMN one');
  await expect(session.query(all, [])).rejects.toMatchObject({ code: '0A000' });
});

named('a name stands for one statement', async () => {
  const { session } = await connect();
  expect(await session.query({ name: 'one', text: 'SELECT 1 AS one' }, [])).toEqual([{ one: 1 }]);
  await expect(session.query({ name: 'one', text: 'SELECT 2 AS one' }, [])).rejects.toThrow(
    'another statement is prepared under the name one',
  );
  expect(await session.query({ name: 'one', text: 'SELECT 1 AS one' }, [])).toEqual([{ one: 1 }]);
});

// The embedded database ends when it is asked to copy.
test.runIf(onPostgres())(
  'a statement that waits for data to copy fails, and the next one is answered',
  async () => {
    const { session } = await connect();
    const copy = { name: 'copy', text: 'COPY account (name) FROM STDIN' };
    await expect(session.query(copy, [])).rejects.toMatchObject({ code: '57014' });
    expect(await session.query({ name: 'one', text: 'SELECT 1 AS one' }, [])).toEqual([{ one: 1 }]);
  },
);

test('rows that cannot be read fail their statement alone', async () => {
  const described = message(
    'T',
    Buffer.concat([
      int16(1),
      Buffer.from('bad\0'),
      int32(0),
      int16(0),
      int32(JSON_TYPE),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  );
  const done = Buffer.concat([message('C', 'SELECT 2\0'), message('Z', 'I')]);
  const pool = await poolFor(
    Buffer.concat([message('1', ''), message('2', ''), described, dataRow('no json'), dataRow('7'), done]),
    // The columns are not described again.
    Buffer.concat([message('2', ''), dataRow('7'), done]),
    Buffer.concat([message('2', ''), dataRow('7', '8'), done]),
  );
  const client = await pool.connect();
  onTestFinished(() => client.release());
  const session = new Session(client, { answerTimeoutMs: 10_000, isPrepared: true, begin: 'BEGIN' });
  const statement = { name: 'bad', text: 'SELECT bad' };
  await expect(session.query(statement, [])).rejects.toThrow(SyntaxError);
  expect(await session.query(statement, [])).toEqual([{ bad: 7 }]);
  await expect(session.query(statement, [])).rejects.toThrow('other columns');
});
