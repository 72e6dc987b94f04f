// Starts tracing if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise, loads no code of OpenTelemetry. OpenTelemetry
// instruments only modules that are imported later, so the service imports this module before all others. An
// application on top of the package starts with `node --import petstore/tracing`.
import { messageOf } from '../../domain/errors.js';

if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  try {
    const { startTracing } = await import('./tracing.js');
    startTracing();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      `petstore: OTEL_EXPORTER_OTLP_ENDPOINT requires OpenTelemetry: ${messageOf(error)}\n`,
    );
    process.exit(1);
  }
}
