import type { Type } from '@nestjs/common';

/** A message that is to be delivered. */
export interface QueuedMessage {
  /** A UUID. Every attempt at a message carries the same, by which its receiver knows what it has already. */
  readonly id: string;
  /** The account that sent it. */
  readonly accountId: bigint;
  readonly message: string;
  readonly createdAt: Date;
}

/** One try to deliver a message. */
export interface DeliveryAttempt {
  /** 1 for the first. */
  readonly number: number;
  /** Aborts when the attempt has taken too long, or the service stops: the attempt has failed, and another follows. */
  readonly signal: AbortSignal;
}

/**
 * Takes messages to where they go. When the service stops, deliveries may go on until its hook
 * `onApplicationShutdown`, in which it closes what it needs for them.
 */
export abstract class MessageDelivery {
  /**
   * Delivers a message. Where it throws, it is asked again, later; where nobody learns of its success, as
   * when the process is killed, too. So a message is delivered at least once, and rarely more often.
   */
  abstract deliver(message: QueuedMessage, attempt: DeliveryAttempt): Promise<void>;
}

/** How messages are delivered. */
export interface DeliveryOptions {
  /** What delivers them. */
  readonly deliver: Type<MessageDelivery>;
  /** How many are being delivered at a time, at most, in each process. */
  readonly concurrency?: number;
  /** How long an attempt may take. */
  readonly timeoutMs?: number;
  /** After how many attempts a message is parked, for an operator to look at. */
  readonly attempts?: number;
  /** How long after the first failure the next attempt follows. From one to the next, the wait grows threefold. */
  readonly retryAfterMs?: number;
}
