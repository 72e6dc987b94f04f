import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

import { prepareTemplate } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory of this run, removed at its end. */
    runDirectory: string;
    /** The PostgreSQL to test on; empty: the embedded database. */
    postgresUrl: string;
    /** The pooler of transactions in front of that PostgreSQL; empty: none. */
    poolerUrl: string;
    /** The workers of that PostgreSQL, if it is the coordinator of a Citus; empty: it is not. */
    workerUrls: string[];
    /** Where the application is that extends the package; absent: the service itself is tested. */
    shopDirectory?: string;
  }
}

/** Makes the migrated database that each test file starts from a copy of. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runDirectory = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  const postgresUrl = process.env['TEST_DATABASE_URL'] ?? '';
  project.provide('runDirectory', runDirectory);
  project.provide('postgresUrl', postgresUrl);
  project.provide('poolerUrl', process.env['TEST_POOLER_URL'] ?? '');
  const workerUrls = (process.env['TEST_CITUS_WORKER_URLS'] ?? '').split(',').filter((url) => url !== '');
  project.provide('workerUrls', workerUrls);
  const removeTemplate = await prepareTemplate(runDirectory, postgresUrl, workerUrls);
  return async () => {
    await removeTemplate();
    await rm(runDirectory, { recursive: true, force: true });
  };
}
