import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { readConfig } from '../config/config.js';
import { dataSourceOptions, openDataSource } from '../database/data-source.js';
import type { MigrationClass } from '../database/migrate/migrate.js';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/** The directory of the migrated databases that tests copy. */
const CACHE = resolve('node_modules/.cache/petstore');

/**
 * Copies an embedded database with the schema of the migrations. The first call with these migrations creates it, which
 * takes a few seconds.
 *
 * @param migrations additional migrations of the team
 * @returns the directory of the copy
 */
export async function copyMigratedDatabase(migrations: readonly MigrationClass[] = []): Promise<string> {
  const own = await Array.fromAsync(await readdir(MIGRATIONS), (name) =>
    readFile(join(MIGRATIONS, name), 'utf8'),
  );
  const sources = [...own, ...migrations.map(String)];
  const hash = createHash('sha256').update(sources.join()).digest('hex').slice(0, 16);
  const template = join(CACHE, `database-${hash}`);
  if (!existsSync(template)) await createTemplate(template, migrations);
  const directory = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  await cp(template, directory, { recursive: true });
  return directory;
}

/** Creates a template under a temporary name first, because other processes may create it at the same time. */
async function createTemplate(template: string, migrations: readonly MigrationClass[]): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const directory = await mkdtemp(`${template}-`);
  const config = readConfig({ DATA_DIR: directory });
  await (await openDataSource(dataSourceOptions(config, migrations))).destroy();
  await rename(directory, template).catch(() => rm(directory, { recursive: true, force: true }));
}
