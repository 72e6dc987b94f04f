// Starts tracing if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise, loads no code of OpenTelemetry. OpenTelemetry
// instruments only modules that are imported later, so the service imports this module before all others. An
// application on top of the package starts with `node --import petstore/tracing`.
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  const { startTracing } = await import('./tracing.js');
  startTracing();
}
