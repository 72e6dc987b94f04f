import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';

import type { Composition } from './composition/composition.js';
import { replacementProviders } from './composition/replaceable.js';
import { CONFIG, type Config } from './config/config.js';
import { DatabaseModule } from './database/database.module.js';
import { statusesOf } from './domain/error-codes.js';
import { STATUSES } from './http/errors/error-mapper.js';
import { DTOS, dtosOf } from './http/validation/dtos.js';
import { LogModule } from './observability/logs/log.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';

/**
 * The parts that all features share: the configuration, the database, the logs, the metrics, the error codes, and the
 * replacements of DTO classes and providers.
 */
@Module({})
export class CoreModule {
  static forRoot(config: Config, composition: Composition): DynamicModule {
    const { config: factories = [], dtos = [], errorCodes = {}, migrations, replace } = composition;
    const replacements = replacementProviders(replace);
    return {
      module: CoreModule,
      global: true,
      imports: [
        ConfigModule.forRoot({
          isGlobal: true,
          ignoreEnvFile: true,
          ignoreEnvVars: true,
          load: [...factories],
        }),
        LogModule,
        DatabaseModule.forRoot(migrations),
        MetricsModule,
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        ...replacements,
        { provide: DTOS, useFactory: () => dtosOf(dtos) },
        { provide: STATUSES, useFactory: () => statusesOf(errorCodes) },
      ],
      exports: [CONFIG, DTOS, STATUSES, ...replacements.map(({ provide }) => provide)],
    };
  }
}
