import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

/** Creates an empty directory that is removed at the end of the running test. */
export async function makeDirectoryForTest(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
