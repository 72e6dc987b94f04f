import { Webhook } from 'standardwebhooks';

import type { Config } from '../../config/config.js';
import { stringifyJson } from '../../domain/json.js';
import { AttemptFailed, type MessageDelivery } from './message-delivery.js';

/**
 * Returns the delivery that the configuration asks for. It posts each message to MESSAGE_WEBHOOK_URL, signed as Standard
 * Webhooks specifies (https://www.standardwebhooks.com). A status from 200 to 299 accepts the message. The body of a
 * response is not read: it may repeat the message, which must not reach the log.
 */
export function webhookOf({ messageWebhookUrl, messageWebhookSecret }: Config): MessageDelivery | undefined {
  if (messageWebhookUrl === undefined || messageWebhookSecret === undefined) return undefined;
  const webhook = new Webhook(messageWebhookSecret);
  return {
    async deliver({ id, accountId, message, createdAt }, { signal }) {
      const data = { id, accountId, message, createdAt };
      const body = stringifyJson({ type: 'message.queued', timestamp: createdAt, data });
      const now = new Date();
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, body),
      };
      const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
      const response = await fetch(messageWebhookUrl, init);
      await response.body?.cancel();
      if (!response.ok) throw failureOf(response);
    },
  };
}

/** The statuses of a receiver that cannot take a message, but takes others. */
const REFUSALS = [400, 409, 413, 422];

function failureOf({ status, headers }: Response): AttemptFailed {
  // 410: the receiver is gone for good.
  const retryAfter = status === 410 ? 'park' : waitOf(headers.get('retry-after'));
  return new AttemptFailed(`the receiver answered ${status}`, retryAfter, REFUSALS.includes(status));
}

/** Returns the wait in milliseconds that `Retry-After` asks for: seconds or a date (RFC 9110, section 10.2.3). */
function waitOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const waitMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return waitMs > 0 ? waitMs : undefined;
}
