import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory that is removed at the end of the run. */
    runDirectory: string;
    /** The beginning of the names of the databases of this run. */
    databasePrefix: string;
    /** The URL of the PostgreSQL to test on. Empty for the embedded database. */
    postgresUrl: string;
    /** The URL of the pooler in front of that PostgreSQL. Empty without a pooler. */
    poolerUrl: string;
    /** The URL by which the service enters: that PostgreSQL, or the first worker of Citus. */
    entryUrl: string;
    /** The workers, if that PostgreSQL is the coordinator of Citus; else empty. */
    workerUrls: string[];
    /** The directory of the application that extends the package. Absent if the service itself is tested. */
    shelterDirectory?: string;
  }
}

/** Creates the migrated database that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runDirectory = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  const postgresUrl = process.env['TEST_DATABASE_URL'] ?? '';
  project.provide('runDirectory', runDirectory);
  const databasePrefix = `petstore_test_${randomUUID().slice(0, 8)}_`;
  project.provide('databasePrefix', databasePrefix);
  project.provide('postgresUrl', postgresUrl);
  project.provide('poolerUrl', process.env['TEST_POOLER_URL'] ?? '');
  const workerUrls = (process.env['TEST_CITUS_WORKER_URLS'] ?? '').split(',').filter((url) => url !== '');
  project.provide('workerUrls', workerUrls);
  project.provide(
    'entryUrl',
    process.env['TEST_CITUS_ENTRY'] === 'worker' ? (workerUrls[0] ?? '') : postgresUrl,
  );
  // On the embedded database, the first test creates the template, so that this process imports nothing of the service.
  const removeTemplate =
    postgresUrl === ''
      ? undefined
      : await (await import('./database.ts')).prepareTemplate(postgresUrl, workerUrls, databasePrefix);
  return async () => {
    await removeTemplate?.();
    await rm(runDirectory, { recursive: true, force: true });
  };
}
