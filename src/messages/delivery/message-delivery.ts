import type { Type } from '@nestjs/common';

/** A message to deliver. */
export interface QueuedMessage {
  /** A UUID, which is the same at each attempt. Receivers use it to detect duplicates. */
  readonly id: string;
  /** The account that sent it. */
  readonly accountId: bigint;
  readonly message: string;
  readonly createdAt: Date;
}

/** An attempt to deliver a message. */
export interface DeliveryAttempt {
  /** The number of the attempt, from 1. */
  readonly number: number;
  /**
   * Aborts when the attempt exceeds its timeout or the service stops. The attempt has then failed, and another follows.
   */
  readonly signal: AbortSignal;
}

/** A failed attempt, after which the receiver determines what follows. */
export class AttemptFailed extends Error {
  /**
   * @param retryAfter the minimum wait in milliseconds, or `park` to make no further attempt. Default: the back-off
   * @param isRefused whether the receiver refuses this message only. Otherwise, it counts as away after ten failures in
   *   a row
   */
  constructor(
    message: string,
    readonly retryAfter?: number | 'park',
    readonly isRefused = false,
  ) {
    super(message);
  }
}

/**
 * Delivers messages. When the service stops, deliveries can continue until `onApplicationShutdown`. Close the resources
 * of the class in that hook.
 */
export abstract class MessageDelivery {
  /**
   * Delivers a message. The service calls it again later if it throws, or if the outcome is lost because the process is
   * killed. So each message is delivered at least once.
   */
  abstract deliver(message: QueuedMessage, attempt: DeliveryAttempt): Promise<void>;

  /**
   * Called once after a message was parked, with the error of its last attempt. A process that is killed in between does
   * not call it.
   */
  onParked?(message: QueuedMessage, error: unknown): void | Promise<void>;
}

/** The options for the delivery of messages. */
export interface DeliveryOptions {
  /** The class that delivers a message. Default: the webhook of MESSAGE_WEBHOOK_URL. Without both, messages wait. */
  readonly deliver?: Type<MessageDelivery>;
  /** The maximum number of concurrent deliveries in each process. Default: 16. */
  readonly concurrency?: number;
  /** The timeout of an attempt. Default: 30,000. */
  readonly timeoutMs?: number;
  /** The number of attempts before a message is parked. Default: 12. */
  readonly attempts?: number;
  /**
   * Returns the wait after a failed attempt, or `park` to make no further one. Default: 5 seconds after the first
   * attempt, growing by a factor of 3 after each further one, up to 6 hours; or what the receiver asks for.
   */
  readonly retryAfterMs?: (attempt: number, error: unknown) => number | 'park';
}
