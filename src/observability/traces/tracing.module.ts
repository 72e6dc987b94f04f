import { Module } from '@nestjs/common';

import { TracingService } from './tracing.service.js';

/** Tracing, which OTEL_EXPORTER_OTLP_ENDPOINT enables. */
@Module({ providers: [TracingService] })
export class TracingModule {}
