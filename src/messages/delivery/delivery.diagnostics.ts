import { channel } from 'node:diagnostics_channel';

/** What came of an attempt to deliver a message: parked is one whose last attempt failed. */
export interface DeliveryOutcome {
  readonly outcome: 'delivered' | 'failed' | 'parked';
}

/** What goes on with deliveries, for whoever watches it. */
export const DELIVERIES = channel('petstore.delivery');

/** Tells the watchers of the end of an attempt. */
export function noteDelivery(outcome: DeliveryOutcome['outcome']): void {
  if (DELIVERIES.hasSubscribers) DELIVERIES.publish({ outcome } satisfies DeliveryOutcome);
}
