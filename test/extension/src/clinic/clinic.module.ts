import {
  Logger,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnApplicationShutdown,
  RequestMethod,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import express from 'express';

import { authModule } from '../tokens/auth.module.js';
import { CalendarIndicator } from './calendar.indicator.js';
import { ClinicClosedFilter } from './clinic-closed.filter.js';
import { HandlerNameInterceptor } from './handler-name.interceptor.js';
import { OpeningHoursMiddleware } from './opening-hours.middleware.js';
import { PricesController } from './prices.controller.js';
import { ReadOnlyBodyPipe } from './read-only-body.pipe.js';
import { ReadOnlyGuard } from './read-only.guard.js';
import { ReportsController } from './reports.controller.js';
import { UploadsController } from './uploads.controller.js';
import { VetsController } from './vets.controller.js';
import { VisitMetrics } from './visit.metrics.js';
import { VisitsController } from './visits.controller.js';
import { WaitingRoomGateway } from './waiting-room.gateway.js';

/** A clinic, written like Nest's documentation. Its operations are in no published document. */
@Module({
  imports: [authModule, TerminusModule],
  controllers: [VisitsController, ReportsController, UploadsController, VetsController, PricesController],
  providers: [
    VisitMetrics,
    CalendarIndicator,
    WaitingRoomGateway,
    { provide: APP_GUARD, useClass: ReadOnlyGuard },
    { provide: APP_INTERCEPTOR, useClass: HandlerNameInterceptor },
    { provide: APP_PIPE, useClass: ReadOnlyBodyPipe },
    { provide: APP_FILTER, useClass: ClinicClosedFilter },
  ],
})
export class ClinicModule implements NestModule, OnApplicationShutdown {
  private readonly logger = new Logger('Clinic');

  constructor() {
    this.logger.log('opens');
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(OpeningHoursMiddleware)
      .forRoutes({ path: 'clinic/visits', method: RequestMethod.GET })
      .apply(express.urlencoded())
      .forRoutes('clinic/uploads/form')
      .apply(express.raw({ type: '*/*', limit: 1000 }))
      .forRoutes('clinic/uploads/signed');
  }

  onApplicationShutdown(signal?: string): void {
    this.logger.log(`closed by ${signal ?? 'the application'}`);
  }
}
