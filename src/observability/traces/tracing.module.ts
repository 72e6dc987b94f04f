import { Module } from '@nestjs/common';

import { TracingService } from './tracing.service.js';

/** How an operator follows a request. Without OTEL_EXPORTER_OTLP_ENDPOINT, nothing of it is loaded. */
@Module({ providers: [TracingService] })
export class TracingModule {}
