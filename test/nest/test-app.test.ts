import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { AppModule } from '#src/app.module';

test('the databases of earlier test processes are removed, and that of this one is not', async () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const left = mkdtempSync(join(tmpdir(), `petstore-test-app-${ended}-`));
  const own = mkdtempSync(join(tmpdir(), `petstore-test-app-${process.pid}-`));
  const { createTestApp } = await import('#src/testing/create-test-app');
  expect([existsSync(left), existsSync(own)]).toEqual([false, true]);
  const app = await createTestApp(AppModule);
  onTestFinished(() => app.close());
  await app.init();
});
