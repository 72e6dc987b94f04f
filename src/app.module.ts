import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';

import { AuthModule } from './auth/auth.module.js';
import type { Config } from './config.js';
import { ConfigModule } from './config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { LogModule } from './log.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { PetsModule } from './pets/pets.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { StoreModule } from './store/store.module.js';

/** The features whose operations are the interface, below its base path. */
const INTERFACE = [PetsModule, StoreModule, MessagesModule];

/** The whole service. */
@Module({
  imports: [
    // What all features stand on, global.
    LogModule,
    DatabaseModule,
    HttpModule,

    // The features.
    AuthModule,
    RateLimitModule,
    ...INTERFACE,
    RouterModule.register(INTERFACE.map((module) => ({ path: 'v1', module }))),

    HealthModule,
    MetricsModule,
  ],
})
export class AppModule {
  static with(config: Config): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.with(config)] };
  }
}
