// Starts tracing when OTEL_EXPORTER_OTLP_ENDPOINT is set, and loads nothing of it otherwise. OpenTelemetry
// instruments only what is imported later, so the service imports this module before all others. An application that
// is built on the package starts with `node --import petstore/tracing`.
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  const { startTracing } = await import('./tracing.js');
  startTracing();
}
