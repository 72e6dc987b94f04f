import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';

import { HealthModule } from '../../health/health.module.js';
import { DatabaseMetrics } from './database.metrics.js';
import { FeatureMetrics } from './feature.metrics.js';
import { HttpMetrics } from './http.metrics.js';
import { MetricsServer } from './metrics.server.js';

/** Metrics for Prometheus. Any provider can inject the `Registry` and register further metrics. */
@Global()
@Module({
  imports: [HealthModule],
  providers: [
    { provide: Registry, useFactory: () => new Registry() },
    HttpMetrics,
    DatabaseMetrics,
    FeatureMetrics,
    MetricsServer,
  ],
  exports: [Registry, HttpMetrics, FeatureMetrics],
})
export class MetricsModule {}
