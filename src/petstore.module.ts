import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { DocumentBuilder } from '@nestjs/swagger';
import { Registry } from 'prom-client';

import { KeyVerifier } from './auth/callers/key-verifier.js';
import { CONFIG, type Config, readConfig } from './config/config.js';
import { program, SERVICE_NAME, type ServiceName } from './program.js';
import { DatabaseModule } from './database/database.module.js';
import type { MigrationClass } from './database/migrate/migrate.js';
import { HealthModule } from './health/health.module.js';
import { PetstoreAdapter } from './http/petstore.adapter.js';
import { LogModule } from './observability/logs/log.module.js';
import { MetricsServer } from './observability/metrics/metrics.server.js';
import { interfaceBuilder } from './openapi/document.js';

export interface PetstoreOptions extends Partial<ServiceName> {
  /** Default: `readConfig(process.env)`, when the application is created. */
  readonly config?: Config;
  /** Migrations of a team. They run with those of the service, in the order of their timestamps. */
  readonly migrations?: readonly MigrationClass[];
}

/** The parts that all features share. */
@Module({})
export class PetstoreModule implements OnModuleInit {
  static forRoot({
    config,
    migrations,
    name = 'petstore',
    title = 'Pet store',
  }: PetstoreOptions = {}): DynamicModule {
    program.name = name;
    return {
      module: PetstoreModule,
      global: true,
      imports: [LogModule, DatabaseModule.forRoot(migrations), HealthModule],
      providers: [
        { provide: CONFIG, useFactory: () => config ?? readConfig(process.env) },
        { provide: SERVICE_NAME, useValue: { name, title } satisfies ServiceName },
        {
          provide: DocumentBuilder,
          inject: [CONFIG, SERVICE_NAME, { token: KeyVerifier, optional: true }],
          useFactory: interfaceBuilder,
        },
        { provide: Registry, useFactory: () => new Registry() },
        MetricsServer,
      ],
      exports: [CONFIG, SERVICE_NAME, DocumentBuilder, Registry],
    };
  }

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    @Inject(SERVICE_NAME) { name }: ServiceName,
  ) {
    program.name = name;
  }

  /** @throws Error in an application of HTTP that `createApp` has not created */
  onModuleInit(): void {
    // A standalone application has no adapter, whatever its type says.
    const { httpAdapter } = this.adapterHost as Partial<HttpAdapterHost>;
    if (!httpAdapter || httpAdapter instanceof PetstoreAdapter) return;
    throw new Error(
      'Create the application with createApp or createTestApp. Nest alone would check no keys.',
    );
  }
}
