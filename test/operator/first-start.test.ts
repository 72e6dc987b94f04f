import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, inject, test } from 'vitest';

import { Client } from '../support/client.ts';
import { createDatabaseForTest, onPostgres } from '../support/database.ts';
import { petstore } from '../support/petstore.ts';
import { failToStart, startServiceProcess } from '../support/process.ts';
import { errorOfStart } from '../support/service.ts';

const run = promisify(execFile);

/** Splits the output into the lines of the log and the others. */
function split(output: string): { log: string[]; block: string } {
  const lines = output.split('\n');
  return {
    log: lines.filter((line) => line.startsWith('{')),
    block: lines.filter((line) => !line.startsWith('{')).join('\n'),
  };
}

async function fetchAsPasted(line: string, key: string): Promise<string> {
  if (!spawnSync('curl', ['--version']).error)
    return (await run('sh', ['-c', line.replace('curl ', 'curl --silent --fail ')])).stdout;
  const [url = ''] = /http:\S+/.exec(line) ?? [];
  return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).text();
}

test.skipIf(onPostgres())(
  'the first start on an empty directory prints a key once, a second process on it fails with one line, and the next start has its data',
  async () => {
    const directory = join(await mkdtemp(join(inject('runDirectory'), 'first-')), 'data');
    const environment = { DATA_DIR: directory, LOG_LEVEL: 'trace' };
    const first = await startServiceProcess(environment);
    await expect.poll(first.stdout).toMatch(/═\n\n/);
    const { block } = split(first.stdout());
    const [key = ''] = /^ +(ps_\w{33})$/m.exec(block)?.slice(1) ?? [];
    const [line = ''] = /curl .+/.exec(block) ?? [];
    expect(line).toBe(`curl -H 'Authorization: Bearer ${key}' ${first.url}/v1/pets`);
    expect(await fetchAsPasted(line, key)).toBe('[]');

    const client = await Client.of(first.url, key);
    await client.post('/v1/pets', { name: 'before', categoryId: 1 });
    expect(await failToStart(environment)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `petstore: DATA_DIR: the embedded database in "${directory}" cannot be opened: another process uses it\n`,
    });
    await client.post('/v1/pets', { name: 'after', categoryId: 1 });

    const { stdout, stderr } = await first.stop();
    expect(stdout.split(key)).toHaveLength(3);
    expect(split(stdout).log.join('\n')).not.toContain('ps_');
    expect(stderr).toBe('');

    const second = await startServiceProcess(environment);
    const pets = await (await Client.of(second.url, key)).get('/v1/pets');
    expect(pets.body).toMatchObject([{ name: 'before' }, { name: 'after' }]);
    const again = await second.stop();
    expect(split(again.stdout).block.trim()).toBe('');
    expect(again.stdout + again.stderr).not.toContain('ps_');
  },
);

test.runIf(onPostgres())('on PostgreSQL the first start creates no key', async () => {
  const database = await createDatabaseForTest({ migrated: false });
  const service = await startServiceProcess(database.environment);
  expect((await fetch(`${service.url}/v1/pets`)).status).toBe(401);
  const { stdout } = await service.stop();
  expect(stdout).not.toContain('ps_');
  expect((await petstore(database.environment, ['keys', 'list'])).stdout).toBe('');
});

test.skipIf(onPostgres())(
  'a first start with MIGRATE_ON_START=false fails with a hint to migrate',
  async () => {
    const { environment } = await createDatabaseForTest({ migrated: false });
    expect(await errorOfStart({ ...environment, MIGRATE_ON_START: 'false' })).toBe(
      'tables are missing in the database: run `petstore migrate`',
    );
  },
);
