import { Module } from '@nestjs/common';
import { IdempotencyModule } from 'petstore';

import { CalendarIndicator } from './calendar.indicator.js';
import { VisitsController } from './visits.controller.js';
import { VisitsRepository } from './visits.repository.js';
import { VisitsService } from './visits.service.js';

/** Visits to the vet. */
@Module({
  imports: [IdempotencyModule],
  controllers: [VisitsController],
  providers: [VisitsService, VisitsRepository, CalendarIndicator],
})
export class VisitsModule {}
