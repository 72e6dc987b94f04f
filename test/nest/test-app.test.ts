import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

test('the databases of earlier test processes are removed, and that of this one is not', async () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const left = mkdtempSync(join(tmpdir(), `petstore-test-app-${ended}-`));
  const own = mkdtempSync(join(tmpdir(), `petstore-test-app-${process.pid}-`));
  await import('#src/testing/create-test-app');
  await expect.poll(() => existsSync(left)).toBe(false);
  expect(existsSync(own)).toBe(true);
});
