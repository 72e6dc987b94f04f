import { stopOnSignal } from './health/stop.js';

stopOnSignal();
// OpenTelemetry instruments only modules that are imported after it, so all others are imported later.
try {
  await import('./observability/traces/register.js');
  const { serve } = await import('./create-app.js');
  const { AppModule } = await import('./app.module.js');
  await serve(AppModule);
} catch (error) {
  const { exitWith } = await import('./commands/exit-with-error.js');
  exitWith(error);
}
