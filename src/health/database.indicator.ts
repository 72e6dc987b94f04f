import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

import { Database } from '../database/database.js';
import { ReadinessIndicator } from './readiness-indicator.js';

/** Checks that the database answers. */
@Injectable()
export class DatabaseIndicator extends ReadinessIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {
    super();
  }

  /** @throws Unavailable, or an error of the driver, when the database does not answer */
  override async check(): Promise<HealthIndicatorResult> {
    await this.database.ping();
    return this.indicators.check('database').up();
  }
}
