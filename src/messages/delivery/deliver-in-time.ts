import { addAbortListener, once } from 'node:events';

import { SpanStatusCode, trace } from '@opentelemetry/api';

import type { LeasedMessage } from '../messages.repository.js';
import type { MessageDelivery } from './message-delivery.js';

/** Delivers a message within the timeout and before the signal aborts, in a span, or throws. */
export async function deliverInTime(
  delivery: MessageDelivery,
  message: LeasedMessage,
  timeoutMs: number,
  stopping: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort(new DOMException('The delivery timed out', 'TimeoutError'));
  const timer = setTimeout(abort, timeoutMs);
  // `AbortSignal.any` would stay in memory as long as the service runs.
  const listener = addAbortListener(stopping, () => controller.abort());
  await trace.getTracer('petstore').startActiveSpan('deliver message', async (span) => {
    try {
      await Promise.race([
        delivery.deliver(message, { number: message.attempts, signal }),
        once(signal, 'abort').then(() => Promise.reject(signal.reason as Error)),
      ]);
    } catch (error) {
      // The message of the error may contain data of the client, so the span omits it.
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      clearTimeout(timer);
      listener[Symbol.dispose]();
      span.end();
    }
  });
}
