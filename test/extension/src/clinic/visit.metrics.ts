import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** Counts the visits. */
@Injectable()
export class VisitMetrics {
  readonly visits: Counter<'urgency'>;

  constructor(registry: Registry) {
    this.visits = new Counter({
      name: 'clinic_visits_total',
      help: 'Visits, by urgency.',
      labelNames: ['urgency'],
      registers: [registry],
    });
  }
}
