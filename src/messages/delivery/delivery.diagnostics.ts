import { channel } from 'node:diagnostics_channel';

/** The outcome of an attempt. A message is parked when its last attempt fails. */
export interface DeliveryOutcome {
  readonly outcome: 'delivered' | 'failed' | 'parked';
}

/** The diagnostics channel of deliveries. */
export const DELIVERIES = channel('petstore.delivery');

/** Publishes the outcome of an attempt. */
export function recordDelivery(outcome: DeliveryOutcome['outcome']): void {
  if (DELIVERIES.hasSubscribers) DELIVERIES.publish({ outcome } satisfies DeliveryOutcome);
}
