import { Webhook } from 'standardwebhooks';

import type { Config } from '../../config/config.js';
import { stringifyJson } from '../../domain/json.js';
import {
  AttemptFailed,
  type DeliveryAttempt,
  MessageDelivery,
  type QueuedMessage,
} from './message-delivery.js';

/** The number of characters of an error response that are stored with the message. */
const REASON_LENGTH = 200;

/**
 * Posts each message to MESSAGE_WEBHOOK_URL, signed as Standard Webhooks specifies
 * (https://www.standardwebhooks.com). A status from 200 to 299 accepts the message.
 */
class WebhookDelivery extends MessageDelivery {
  private readonly webhook: Webhook;

  /** @param secret the secret of the receiver, of the form `whsec_` and base64 */
  constructor(
    private readonly url: string,
    secret: string,
  ) {
    super();
    this.webhook = new Webhook(secret);
  }

  override async deliver(message: QueuedMessage, { signal }: DeliveryAttempt): Promise<void> {
    const { id, accountId, createdAt } = message;
    const data = { id, accountId, message: message.message, createdAt };
    const body = stringifyJson({ type: 'message.queued', timestamp: createdAt, data });
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': this.webhook.sign(id, now, body),
    };
    const response = await fetch(this.url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    if (!response.ok) throw await failureOf(response);
    await response.body?.cancel();
  }
}

/** Returns the delivery that the configuration asks for. */
export function webhookOf({ messageWebhookUrl, messageWebhookSecret }: Config): MessageDelivery | undefined {
  if (messageWebhookUrl === undefined || messageWebhookSecret === undefined) return undefined;
  return new WebhookDelivery(messageWebhookUrl, messageWebhookSecret);
}

async function failureOf(response: Response): Promise<AttemptFailed> {
  const { status, headers } = response;
  const text = `the receiver answered ${status} ${await beginningOf(response)}`.trim();
  // 410: the receiver is gone for good.
  return new AttemptFailed(text, status === 410 ? 'park' : waitOf(headers.get('retry-after')));
}

/** Reads one piece of a response, however long the rest is. */
async function beginningOf({ body }: Response): Promise<string> {
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    return new TextDecoder().decode(piece).slice(0, REASON_LENGTH);
  }
  return '';
}

/** Returns the wait in milliseconds that `Retry-After` asks for: seconds or a date (RFC 9110, section 10.2.3). */
function waitOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const waitMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return waitMs > 0 ? waitMs : undefined;
}
