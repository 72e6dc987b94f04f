import { setImmediate } from 'node:timers/promises';

import { stopOnSignal } from './health/stop.js';

stopOnSignal();
// OpenTelemetry instruments only modules that are imported after it, so all others are imported later.
try {
  await import('./observability/traces/register.js');
  const { serve } = await import('./create-app.js');
  const { AppModule } = await import('./app.module.js');
  // Node handles a signal that arrived meanwhile in the next turn of the event loop. Later, in the middle of the opening
  // of PGlite, its exit can hang (nodejs/node#54918).
  await setImmediate();
  await serve(AppModule);
} catch (error) {
  const { exitWith } = await import('./commands/exit-with-error.js');
  exitWith(error);
}
