import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type PgBouncer, pgBouncerIsInstalled, startPgBouncer } from '../support/pgbouncer.ts';
import { MIGRATIONS } from '../support/migrations.ts';
import { type Postgres, postgresIsInstalled, startPostgres } from '../support/postgres.ts';
import { failToStart } from '../support/process.ts';
import { query } from '../support/query.ts';
import { startServiceForTest } from '../support/service.ts';
import { importWithPause } from '../support/slow-import.ts';

const KITTY = { name: 'Kitty', categoryId: 1n, status: 'sold' };

let postgres: Postgres;
let pgbouncer: PgBouncer;

describe.skipIf(!postgresIsInstalled() || !pgBouncerIsInstalled())(
  'behind PgBouncer in transaction mode (skipped without its binary)',
  () => {
    // The first test needs the empty database.
    beforeAll(async () => {
      postgres = await startPostgres(['fsync = off']);
      pgbouncer = await startPgBouncer(postgres);
    });
    afterAll(async () => {
      await pgbouncer.remove();
      await postgres.remove();
    });

    /** Settings of a role apply to connections that are opened afterwards. */
    async function restartPgBouncer(): Promise<void> {
      await pgbouncer.remove();
      pgbouncer = await startPgBouncer(postgres);
    }

    const countPets = async () =>
      (await query<{ count: number }>(postgres.url, 'SELECT count(*)::int FROM pet'))[0]?.count ?? 0;

    const environment = () => ({ DATABASE_URL: pgbouncer.url, DATABASE_POOLER: 'transaction' });

    test('four replicas that start concurrently on an empty database start, and each migration runs once', async () => {
      const replicas = await Promise.all([1, 2, 3, 4].map(() => startServiceForTest(environment())));
      for (const { url } of replicas) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      const ran = await query(postgres.url, 'SELECT name FROM migration ORDER BY id');
      expect(ran).toEqual(MIGRATIONS.map((name) => ({ name })));
      expect(await query(postgres.url, `SELECT FROM pg_locks WHERE locktype = 'advisory'`)).toEqual([]);
    });

    test('more concurrent requests than connections are all served', async () => {
      const { client } = await startServiceForTest({ ...environment(), DATABASE_POOL_SIZE: '40' });
      const before = await countPets();
      const { id } = (await client.post('/v1/pets', KITTY)).body as { id: bigint };
      const rounds = Array.from({ length: 60 }, async (_, round) => {
        const headers = { 'idempotency-key': `key ${round}`.replace(' ', '-') };
        const answers = await Promise.all([
          client.post('/v1/pets', KITTY),
          client.post('/v1/pets', KITTY, { headers }),
          client.post(
            '/v1/store/orders',
            { petId: id },
            { headers: { 'idempotency-key': `order-${round}` } },
          ),
          client.post('/v1/messages', { message: 'hello' }),
          client.get(`/v1/pets/${id}`),
          client.get('/v1/pets?status=sold'),
          client.get('/v1/store/orders'),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 202, 200, 200, 200]);
        const again = await client.post('/v1/pets', KITTY, { headers });
        expect(again.headers.get('idempotency-replayed')).toBe('true');
        expect(again.body).toEqual(answers[1].body);
      });
      await Promise.all(rounds);
      expect(await countPets()).toBe(before + 1 + 2 * 60);
    });

    test('without DATABASE_POOLER, a start fails with one line that names the variable, and the parameter that PgBouncer rejects', async () => {
      const exit = await failToStart({ DATABASE_URL: pgbouncer.url });
      expect(exit).toMatchObject({ code: 1, stdout: '' });
      // PgBouncer 1.20 and later name the first setting in the options.
      expect(exit.stderr).toMatch(
        /^petstore: DATABASE_POOLER: set it to transaction, because the address is a pooler: unsupported startup parameter.* (?:options|statement_timeout)\n$/,
      );
    });

    test('a command prints only its result, and its transaction has no idle timeout', async () => {
      const before = await countPets();
      await query(postgres.url, 'ALTER ROLE postgres SET idle_in_transaction_session_timeout = 100');
      await restartPgBouncer();
      const outcome = await importWithPause(postgres.url, environment());
      expect(outcome.code).toBe(0);
      expect(outcome.stdout).toMatch(/^imported 3001, refused 0, in \d+\.\d s\n$/);
      expect(await countPets()).toBe(before + 3001);
    });
  },
);
