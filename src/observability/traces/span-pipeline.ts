import type { ExportResult } from '@opentelemetry/core';
import { ExportResultCode, getNumberFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import type { PinoLogger } from 'nestjs-pino';

import type { Config } from '../../config/config.js';

/** As many as a batch takes: a query links each request that it served. */
const MAX_LINKS = 256;

/** Makes what keeps spans and sends them to the collector, behind the requests, as the OTEL_ variables say. */
export function createSpanPipeline(config: Config, logger: PinoLogger): TracerProvider {
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector, serviceInstanceIdDetector];
  const resource = defaultResource()
    .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'petstore' }))
    .merge(detectResources({ detectors }));
  const scheduledDelayMillis = getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY');
  const exporter = new ToldExporter(new OTLPTraceExporter(), logger);
  return new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanLimits: { linkCountLimit: MAX_LINKS },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        ...(scheduledDelayMillis !== undefined && { scheduledDelayMillis }),
      }),
    ],
  });
}

function samplerOf({ tracesSampler, tracesSamplerRatio }: Config): Sampler {
  const ratio = new TraceIdRatioBasedSampler(tracesSamplerRatio);
  const samplers = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: ratio,
    parentbased_always_on: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: new ParentBasedSampler({ root: ratio }),
  };
  return samplers[tracesSampler];
}

/** Says once that the collector takes nothing, and once that it does again. */
class ToldExporter implements SpanExporter {
  private isAway = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly logger: PinoLogger,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.note(result);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  private note({ code, error }: ExportResult): void {
    const isAway = code !== ExportResultCode.SUCCESS;
    if (isAway && !this.isAway) this.logger.warn({ err: error }, 'The collector takes no traces');
    if (!isAway && this.isAway) this.logger.info('The collector takes traces again');
    this.isAway = isAway;
  }
}
