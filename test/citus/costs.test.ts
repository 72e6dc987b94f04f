import { expect, onTestFinished, test } from 'vitest';

import { quick } from '../faults/support/mode.ts';
import { startCitus } from '../support/citus.ts';
import { measureOn, SETTINGS } from './support/cost.ts';
import { publish } from './support/results.ts';

test('the costs by the coordinator and by a worker are measured against a single PostgreSQL, and with more shards', async () => {
  const citus = await startCitus(SETTINGS);
  onTestFinished(() => citus.remove());
  const measured = await measureOn(citus);
  console.dir(measured, { depth: null });
  expect(measured.shards).toHaveLength(3);
  if (!quick) await publish(measured, citus.coordinator.url);
});
