import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { ReadinessIndicator } from 'petstore';

import { clinicConfig } from './clinic.config.js';

/** Checks that the calendar answers. */
@Injectable()
export class CalendarIndicator extends ReadinessIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    @Inject(clinicConfig.KEY) private readonly config: ConfigType<typeof clinicConfig>,
  ) {
    super();
  }

  override check(): PromiseLike<HealthIndicatorResult> {
    const { calendarUrl } = this.config;
    return this.indicators
      .check('calendar')
      .attempt(async ({ signal }) => {
        if (calendarUrl === undefined) return;
        const { ok, status } = await fetch(calendarUrl, { signal });
        if (!ok) throw new Error(`the calendar answers with ${status.toString()}`);
      })
      .withTimeout(1000);
  }
}
