import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';

import { DatabaseIndicator } from './database.indicator.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

/** The health of this process. */
@Module({
  // ErrorFilter logs why a check fails.
  imports: [DiscoveryModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [HealthService, DatabaseIndicator],
  exports: [HealthService],
})
export class HealthModule {}
