import { type DynamicModule, Module, type Type } from '@nestjs/common';

import { AuthModule } from './auth/auth.module.js';
import type { Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import type { MigrationClass } from './database/migrate.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { LogModule } from './observability/logs/log.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';
import { PetsModule } from './pets/pets.module.js';
import { StoreModule } from './store/store.module.js';
import { TracingModule } from './observability/traces/tracing.module.js';

/** What a team's own service is composed of. */
export interface Composition {
  /** The modules of all its features. Default: those of the interface. */
  readonly features?: readonly (Type | DynamicModule)[];
  /** Migrations of the team's own. They run with the service's, in the order of their timestamps. */
  readonly migrations?: readonly MigrationClass[];
  /** Descriptions of the team's own tags in the published document, by the name of the tag. */
  readonly tags?: Readonly<Record<string, string>>;
}

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
