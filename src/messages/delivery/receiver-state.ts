import type { PinoLogger } from 'nestjs-pino';

import type { LeasedMessage } from '../messages.repository.js';
import { AttemptFailed } from './message-delivery.js';

/** The number of attempts that fail in a row before the receiver counts as away. */
const FAILURES = 10;

/**
 * Whether the receiver of the messages is there or away, as the attempts of this process show. Logs the changes, and the
 * first of the attempts that fail in a row.
 */
export class ReceiverState {
  private failures = 0;

  constructor(private readonly logger: PinoLogger) {}

  get isAway(): boolean {
    return this.failures >= FAILURES;
  }

  succeeded(): void {
    if (this.isAway) this.logger.info('The receiver of the messages is back');
    this.failures = 0;
  }

  /** Records an attempt that failed. A receiver that refuses a single message is there. */
  failed({ id, attempts }: LeasedMessage, error: unknown): void {
    const isRefused = error instanceof AttemptFailed && error.isRefused;
    if (isRefused) this.succeeded();
    else this.failures++;
    if (isRefused || this.failures === 1) {
      const details = { err: error, messageId: id, attempt: attempts };
      this.logger.warn(details, 'An attempt to deliver a message failed');
    } else if (this.failures === FAILURES) {
      this.logger.error(
        { err: error },
        'The receiver of the messages is away: one attempt at a time probes it',
      );
    }
  }
}
