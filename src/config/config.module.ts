import { type DynamicModule, Module } from '@nestjs/common';
import { type ConfigFactory, ConfigModule as NestConfigModule } from '@nestjs/config';

import { CONFIG, type Config } from './config.js';

/** Provides the configuration by the token CONFIG. */
@Module({})
export class ConfigModule {
  /** @param factories what `registerAs` of `@nestjs/config` returns, for each configuration of the team */
  static forRoot(config: Config, factories: readonly ConfigFactory[] = []): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      imports: [
        NestConfigModule.forRoot({
          isGlobal: true,
          ignoreEnvFile: true,
          ignoreEnvVars: true,
          load: [...factories],
        }),
      ],
      providers: [{ provide: CONFIG, useValue: config }],
      exports: [CONFIG],
    };
  }
}
