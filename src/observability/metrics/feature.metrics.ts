import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** The counters that features increment. */
@Injectable()
export class FeatureMetrics {
  readonly verifications: Counter<'source'>;
  readonly deliveries: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.verifications = new Counter({
      name: 'petstore_key_verifications_total',
      help: 'Verifications of keys, by their source: the cache of the process, or the verifier.',
      labelNames: ['source'],
      registers: [registry],
    });
    this.deliveries = new Counter({
      name: 'petstore_message_deliveries_total',
      help: 'Attempts to deliver a message, by outcome. A message is parked when its last attempt fails.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }
}
