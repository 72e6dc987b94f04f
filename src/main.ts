import { readConfig } from './config/config.js';

// OpenTelemetry instruments only modules that are imported after it, so all others are imported later.
try {
  const config = readConfig(process.env);
  await import('./observability/traces/register.js');
  const { serve } = await import('./app.setup.js');
  await serve(config);
} catch (error) {
  const { exitWith } = await import('./commands/exit-with-error.js');
  exitWith(error);
}
