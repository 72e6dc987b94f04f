import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

import { type Verification, VERIFICATIONS } from '../../auth/keys/key-verification.diagnostics.js';
import { DELIVERIES, type DeliveryOutcome } from '../../messages/delivery/delivery.diagnostics.js';

/** Counts the verifications of keys and the deliveries of messages. */
@Injectable()
export class FeatureMetrics {
  private readonly verifications: Counter<'source'>;
  private readonly deliveries: Counter<'outcome'>;

  private readonly onVerification = (verification: unknown) =>
    this.verifications.inc({ source: (verification as Verification).source });
  private readonly onDelivery = (delivery: unknown) =>
    this.deliveries.inc({ outcome: (delivery as DeliveryOutcome).outcome });

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

  start(): void {
    VERIFICATIONS.subscribe(this.onVerification);
    DELIVERIES.subscribe(this.onDelivery);
  }

  stop(): void {
    VERIFICATIONS.unsubscribe(this.onVerification);
    DELIVERIES.unsubscribe(this.onDelivery);
  }
}
