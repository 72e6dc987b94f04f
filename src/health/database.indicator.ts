import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

import { Database } from '../database/database.js';
import { ReadinessIndicator } from './readiness-indicator.js';

/** Checks that the database answers, and that no migration is pending. */
@Injectable()
export class DatabaseIndicator extends ReadinessIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {
    super();
  }

  override async check(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    try {
      await this.database.ping();
      const isMigrated = await this.database.isMigrated();
      return isMigrated ? indicator.up() : indicator.down({ message: 'migrations are pending' });
    } catch (error) {
      return indicator.down({ message: String(error) });
    }
  }
}
