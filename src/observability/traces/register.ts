// Starts tracing if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise, loads no code of OpenTelemetry. OpenTelemetry
// instruments only modules that are imported later, so the service imports this module before all others. An
// application on top of the package starts with `node --import petstore/tracing`.
import { importOptional } from '../../config/config.errors.js';
import { messageOf } from '../../domain/errors.js';

const PACKAGES = [
  '@opentelemetry/sdk-node',
  '@opentelemetry/resources',
  ...['express', 'http', 'pg', 'undici'].map((name) => `@opentelemetry/instrumentation-${name}`),
  'import-in-the-middle',
];

if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  const reason = 'OTEL_EXPORTER_OTLP_ENDPOINT requires OpenTelemetry, which is not installed.';
  try {
    const { startTracing } = await importOptional(() => import('./tracing.js'), reason, PACKAGES);
    startTracing();
  } catch (error) {
    process.stderr.write(`petstore: ${messageOf(error)}\n`);
    process.exit(1);
  }
}
