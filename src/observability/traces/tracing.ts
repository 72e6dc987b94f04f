import { format } from 'node:util';

import { diag, type DiagLogFunction, DiagLogLevel } from '@opentelemetry/api';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { register } from 'import-in-the-middle/register-hooks.mjs';
import { pino } from 'pino';

let sdk: NodeSDK | undefined;

/** The path and the query of a receiver's URL can be secrets. The spans keep `server.address` and `server.port`. */
const withoutUrl = () => ({ 'url.full': undefined, 'url.path': undefined, 'url.query': undefined });

/** Starts OpenTelemetry's SDK, which reads its settings from the OTEL_* variables. */
export function startTracing(): void {
  logDiagnostics(process.env['OTEL_LOG_LEVEL']);
  // With it, the SDK would write to stdout as plain text.
  delete process.env['OTEL_LOG_LEVEL'];
  // The SDK's default follows the decision of the caller, who can be a stranger.
  process.env['OTEL_TRACES_SAMPLER'] ??= 'always_on';
  // Express and pg are CommonJS modules. ES modules import them, so only a loader hook can instrument them.
  register({ include: ['http', 'https', 'express', 'pg', 'pg-pool'] });
  sdk = new NodeSDK({
    // Variables of the environment take precedence.
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': 'petstore' })),
    // Only traces are exported: Prometheus reads the metrics, and logs go to stdout.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [
      // The query of a URL may contain private data of the client.
      new HttpInstrumentation({
        startIncomingSpanHook: () => ({ 'url.query': undefined }),
        startOutgoingSpanHook: withoutUrl,
      }),
      // Express adds the route to the span of a request. Its own spans would last as long as that span.
      // @opentelemetry/instrumentation-nestjs-core is not used: version 0.71 supports Nest only below 12.
      new ExpressInstrumentation({ ignoreLayersType: Object.values(ExpressLayerType) }),
      new PgInstrumentation({ requireParentSpan: true }),
      // The delivery of a message is a trace of its own.
      new UndiciInstrumentation({ startSpanHook: withoutUrl }),
    ],
  });
  sdk.start();
}

/** Logs the lines of OpenTelemetry. They belong to no request, so the logger has no ids. */
function logDiagnostics(minimum = 'warn'): void {
  const logger = pino({ msgPrefix: 'OpenTelemetry: ' }, process.stdout);
  const info: DiagLogFunction = (...args) => logger.info(format(...args));
  diag.setLogger(
    {
      error: (...args) => logger.error(format(...args)),
      warn: (...args) => logger.warn(format(...args)),
      ...{ info, debug: info, verbose: info },
    },
    DiagLogLevel[minimum.toUpperCase() as keyof typeof DiagLogLevel],
  );
}

export async function stopTracing(): Promise<void> {
  await sdk?.shutdown();
}
