import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { type DeliveryAttempt, MessageDelivery, type QueuedMessage } from 'petstore';
import { Webhook } from 'standardwebhooks';

import { webhookConfig } from './webhook.config.js';

/**
 * Posts messages to a URL, with a signature by https://www.standardwebhooks.com. Receivers verify the sender by the
 * signature, and detect duplicates by `webhook-id`.
 */
@Injectable()
export class WebhookDelivery extends MessageDelivery {
  private readonly url: string;
  private readonly webhook: Webhook;

  constructor(@Inject(webhookConfig.KEY) { url, secret }: ConfigType<typeof webhookConfig>) {
    super();
    this.url = url;
    this.webhook = new Webhook(secret);
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
    const answer = await fetch(this.url, { method: 'POST', headers, body, signal, redirect: 'error' });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`the receiver answered with ${answer.status}`);
  }
}
