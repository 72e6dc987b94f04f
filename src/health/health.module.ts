import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';

import { HealthController } from './health.controller.js';
import { DatabaseIndicator, HealthService } from './health.service.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [HealthController],
  providers: [HealthService, DatabaseIndicator],
  exports: [HealthService],
})
export class HealthModule {}
