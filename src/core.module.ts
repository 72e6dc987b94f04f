import { type DynamicModule, Module } from '@nestjs/common';

import type { Composition } from './composition/composition.js';
import { ReplacementsModule } from './composition/replacements.module.js';
import type { Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { statusesOf } from './domain/error-codes.js';
import { STATUSES } from './http/errors/error-mapper.js';
import { DTOS, dtosOf } from './http/validation/dtos.js';
import { LogModule } from './observability/logs/log.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';

/** The parts that all features share: the configuration, the database, the logs, the metrics and the error codes. */
@Module({})
export class CoreModule {
  static forRoot(config: Config, composition: Composition): DynamicModule {
    const { config: factories, dtos = [], errorCodes = {}, migrations, replace } = composition;
    return {
      module: CoreModule,
      global: true,
      imports: [
        ConfigModule.forRoot(config, factories),
        ReplacementsModule.forRoot(replace),
        LogModule,
        DatabaseModule.forRoot(migrations),
        MetricsModule,
      ],
      providers: [
        { provide: DTOS, useFactory: () => dtosOf(dtos) },
        { provide: STATUSES, useFactory: () => statusesOf(errorCodes) },
      ],
      exports: [DTOS, STATUSES],
    };
  }
}
