import { type DynamicModule, Module } from '@nestjs/common';

import { AuthModule } from './auth/auth.module.js';
import type { Composition } from './composition.js';
import type { Config } from './config.js';
import { ConfigModule } from './config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { LogModule } from './log.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { PetsModule } from './pets/pets.module.js';
import { StoreModule } from './store/store.module.js';
import { TracingModule } from './tracing/tracing.module.js';

/** The features, whose operations are the interface. What is asked for most often comes first: routes are tried in order. */
const FEATURES = [PetsModule, StoreModule, MessagesModule, AuthModule];

/** The whole service: the features, on what all of them stand on, and what watches them. */
@Module({})
export class AppModule {
  /** The service as it comes, or as it is composed. */
  static with(config: Config, { features = FEATURES, migrations }: Composition = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        LogModule,
        DatabaseModule.with(migrations),
        HttpModule,

        ...features,

        HealthModule,
        MetricsModule,
        TracingModule,
      ],
    };
  }
}
