import { Module } from '@nestjs/common';

import { MetricsServer } from './metrics.server.js';

/** What an operator watches this process by. Without METRICS_PORT, nothing is counted. */
@Module({ providers: [MetricsServer] })
export class MetricsModule {}
