import { Module } from '@nestjs/common';

import { TracingService } from './tracing.service.js';

/** Traces, which OTEL_EXPORTER_OTLP_ENDPOINT switches on. */
@Module({ providers: [TracingService] })
export class TracingModule {}
