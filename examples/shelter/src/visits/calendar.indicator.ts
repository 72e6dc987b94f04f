import { Inject, Injectable } from '@nestjs/common';
import { ReadinessIndicator } from 'petstore';

import { shelterConfig, type ShelterConfig } from '../shelter.config.js';

/** The calendar of the vets, without which visits cannot be booked. */
@Injectable()
export class CalendarIndicator extends ReadinessIndicator {
  readonly name = 'calendar';

  constructor(@Inject(shelterConfig.KEY) private readonly config: ShelterConfig) {
    super();
  }

  async check(): Promise<void> {
    const { CALENDAR_URL } = this.config;
    if (CALENDAR_URL === undefined) return;
    const { status } = await fetch(CALENDAR_URL, { signal: AbortSignal.timeout(1000) });
    if (status !== 200) throw new Error(`the calendar answers with ${status}`);
  }
}
