import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { createDatabaseForTest, onCitus, onPostgres, runSql } from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { createKey } from '../support/key.ts';
import { findBinaries, postgresIsInstalled, startPostgres, startStandby } from '../support/postgres.ts';
import { query } from '../support/query.ts';
import { startService, startServiceForTest } from '../support/service.ts';

const PAGE = 'docs/runbook.md';
const text = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';

/** Returns the shell commands under a heading, in their order. */
function blocksOf(heading: string): string[] {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** Runs commands of the page, in which `petstore` is the built command. They must succeed. Returns their output. */
async function run(commands: string | undefined, environment: NodeJS.ProcessEnv): Promise<string> {
  const script = `set -eu; petstore() { '${process.execPath}' '${join(process.cwd(), 'dist/src/cli.js')}' "$@"; }\n`;
  const path = `${findBinaries()}:${process.env['PATH'] ?? ''}`;
  const given = { ...environment, PATH: path };
  const { code, stdout, stderr } = await runCommand('bash', ['-c', script + (commands ?? 'exit 1')], given);
  expect(code, `${commands ?? ''}\n${stderr}`).toBe(0);
  return stdout;
}

const urlOf = (adminUrl: string, role: string) => {
  const url = new URL(adminUrl);
  Object.assign(url, { username: role, password: 'secret' });
  return url.href;
};

/** The address of the database that the page restores, on the same server. */
const restored = (databaseUrl: string) =>
  Object.assign(new URL(databaseUrl), { pathname: '/petstore_restored' }).href;

/** The animals that a service on the database lists. */
async function namesOn(databaseUrl: string, key: string, added: string[] = []): Promise<string[]> {
  const service = await startService({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'false' });
  const client = service.client.withKey(key);
  for (const name of added) {
    expect((await client.post('/v1/pets', { name, categoryId: 1 })).status).toBe(201);
  }
  const { body } = await client.get('/v1/pets');
  await service.stop();
  return (body as { name: string }[]).map(({ name }) => name);
}

test.runIf(onPostgres() && !onCitus() && postgresIsInstalled())(
  'the commands for PostgreSQL succeed in the order of the page',
  async () => {
    const postgres = await startPostgres(['fsync = off']);
    onTestFinished(() => postgres.remove());
    const directory = await makeDirectoryForTest();
    const [OWNER_URL, SERVICE_URL, NEXT_URL] = ['petstore_owner', 'petstore_a', 'petstore_b'].map((role) =>
      urlOf(postgres.url, role),
    ) as [string, string, string];
    const environment = {
      ADMIN_URL: postgres.url,
      ...{ OWNER_URL, SERVICE_URL, RESTORED_URL: restored(postgres.url) },
      ...{ OWNER_PASSWORD: 'secret', SERVICE_PASSWORD: 'secret', NEW_PASSWORD: 'secret' },
    };
    const inDirectory = (block: string | undefined) =>
      run(`cd '${directory}'; ${block ?? 'exit 1'}`, environment);

    const [createRoles, createTables, addRole] = blocksOf('Roles');
    await run(createRoles, environment);
    const key = (await run(createTables, environment)).trim().split('\n').at(-1) ?? '';
    expect(await namesOn(SERVICE_URL, key, ['Rex'])).toEqual(['Rex']);

    expect(await run(blocksOf('Connections')[0], environment)).toMatch(/max_connections/);

    const [dump, restore] = blocksOf('Backup and restore');
    await inDirectory(dump);
    expect(await namesOn(SERVICE_URL, key, ['Tom'])).toEqual(['Rex', 'Tom']);
    await query(postgres.url, 'UPDATE api_key SET revoked_at = now()');
    // A later version has another table.
    await query(OWNER_URL, 'CREATE TABLE later (pet_id bigint REFERENCES pet)');
    await inDirectory(restore);
    // The key is valid again, and the id of Tom is given out again.
    expect(await namesOn(restored(SERVICE_URL), key, ['Max'])).toEqual(['Rex', 'Max']);
    const ids = await Promise.all(
      [SERVICE_URL, restored(SERVICE_URL)].map((url) => query(url, 'SELECT max(id)::text AS id FROM pet')),
    );
    expect(ids[0]).toEqual(ids[1]);
    environment.OWNER_URL = restored(OWNER_URL);
    environment.SERVICE_URL = restored(SERVICE_URL);

    const [upgrade, rollBack] = blocksOf('Upgrade and roll back');
    const [, last = ''] = /\| 1\.0\.0 \| `(\w+)` \|/.exec(text) ?? [];
    expect(await run(upgrade, environment)).toMatch(new RegExp(`"done"[^"]*$`));
    expect(await run(rollBack, environment)).toBe(`undid ${last}\n`);
    expect(await run(upgrade, environment)).toMatch(new RegExp(`^ran ${last}\n`));

    const [createNext, dropFirst, ofOwner] = blocksOf('Rotate the password of the database');
    await run(createNext, environment);
    expect(await namesOn(restored(NEXT_URL), key)).toEqual(['Rex', 'Max']);
    await run(dropFirst, environment);
    await run(ofOwner, environment);
    expect(await namesOn(restored(NEXT_URL), key)).toEqual(['Rex', 'Max']);

    for (const url of [postgres.url, restored(postgres.url)]) await query(url, 'DROP OWNED BY petstore_rows');
    await query(postgres.url, 'DROP ROLE petstore_b, petstore_rows');
    await run(addRole, { ...environment, ADMIN_URL: restored(postgres.url), OWNER: 'petstore_owner' });
    expect(await namesOn(restored(SERVICE_URL), key)).toEqual(['Rex', 'Max']);

    const standby = await startStandby(postgres);
    onTestFinished(() => standby.remove());
    await postgres.stop('immediate');
    const answers = await run(blocksOf('Manual failover')[0], { STANDBY_URL: standby.url });
    expect(answers.match(/^ [tf]$/gm)).toEqual([' t', ' f']);
    const promoted = restored(urlOf(standby.url, 'petstore_a'));
    expect(await namesOn(promoted, key, ['Tom'])).toEqual(['Rex', 'Max', 'Tom']);
  },
  // It starts twenty processes.
  180_000,
);

describe.skipIf(text === '')('the runbook', () => {
  test.runIf(onCitus())('moves the rows of a Citus to another one', async () => {
    const [from, to] = [await createDatabaseForTest(), await createDatabaseForTest({ migrated: false })];
    const key = await createKey(from.environment);
    expect(await namesOn(from.environment.DATABASE_URL ?? '', key, ['Rex'])).toEqual(['Rex']);
    const directory = await makeDirectoryForTest();
    await run(`cd '${directory}'; ${blocksOf('Backup and restore')[4] ?? 'exit 1'}`, {
      OWNER_URL: from.environment.DATABASE_URL,
      NEW_URL: to.environment.DATABASE_URL,
    });
    expect(await namesOn(to.environment.DATABASE_URL ?? '', key, ['Tom'])).toEqual(['Rex', 'Tom']);
  });

  test.skipIf(onPostgres())('copies the embedded database', async () => {
    const database = await createDatabaseForTest();
    const key = await createKey(database.environment);
    const BACKUP_DIR = join(await makeDirectoryForTest(), 'backup');
    const environment = { ...database.environment, BACKUP_DIR };
    const [, , backUp, restore] = blocksOf('Backup and restore');
    await run(backUp, environment);
    await runSql(database, 'DELETE FROM api_key');
    await run(restore, environment);
    const { client } = await startServiceForTest(database.environment);
    expect((await client.withKey(key).get('/v1/pets')).status).toBe(200);
  });
});
