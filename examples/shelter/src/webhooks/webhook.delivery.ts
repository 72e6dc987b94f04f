import { Inject, Injectable } from '@nestjs/common';
import { type DeliveryAttempt, MessageDelivery, type QueuedMessage } from 'petstore';
import { Webhook } from 'standardwebhooks';

import { shelterConfig, type ShelterConfig } from '../shelter.config.js';

/** The receiver will never accept the message. */
class Rejected extends Error {}

/** Waits a second longer after each attempt. Parks a message that the receiver rejects. */
export const retryAfterMs = (attempt: number, error: unknown): number | 'park' =>
  error instanceof Rejected ? 'park' : attempt * 1000;

/** Posts messages to a URL, with a signature by https://www.standardwebhooks.com. */
@Injectable()
export class WebhookDelivery extends MessageDelivery {
  private readonly webhook: Webhook;

  constructor(@Inject(shelterConfig.KEY) private readonly config: ShelterConfig) {
    super();
    this.webhook = new Webhook(config.WEBHOOK_SECRET);
  }

  override async deliver(
    { id, message, createdAt }: QueuedMessage,
    { signal }: DeliveryAttempt,
  ): Promise<void> {
    const body = JSON.stringify({ type: 'message.queued', timestamp: createdAt, data: { id, message } });
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': this.webhook.sign(id, now, body),
    };
    const { WEBHOOK_URL } = this.config;
    const { status } = await fetch(WEBHOOK_URL, { method: 'POST', headers, body, signal, redirect: 'error' });
    if (status === 410) throw new Rejected('the receiver is gone');
    if (status >= 300) throw new Error(`the receiver answered with ${status}`);
  }
}
