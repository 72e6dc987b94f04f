import { readConfig } from './config/config.js';

// OpenTelemetry instruments only what is imported after it, so that everything else is imported later.
try {
  const config = readConfig(process.env);
  await import('./observability/traces/register.js');
  const { serve } = await import('./app.setup.js');
  await serve(config);
} catch (error) {
  const { exitWith } = await import('./commands/exit-with-error.js');
  exitWith(error);
}
