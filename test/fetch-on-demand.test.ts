import { expect, onTestFinished, test } from 'vitest';

import { createDatabase } from './support/database.ts';
import { spawnService } from './support/process.ts';

test('the service loads Node’s fetch when it is called, and not before', async () => {
  const tell = `process.once('SIGUSR2', async () => {
      const isLoaded = () => process.moduleLoadList.includes('NativeModule internal/deps/undici/undici');
      const before = isLoaded();
      const answer = await fetch('data:,answer');
      process.stderr.write(JSON.stringify([before, await answer.text(), isLoaded()]));
      process.kill(process.pid, 'SIGTERM');
    });`;
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const program = ['--import', `data:text/javascript,${encodeURIComponent(tell)}`, 'dist/src/main.js'];
  const service = spawnService(database.environment, program);
  await expect.poll(service.stdout, { timeout: 50_000 }).toContain('Listening on ');
  service.signal('SIGUSR2');
  expect((await service.exit).stderr).toBe('[false,"answer",true]');
});
