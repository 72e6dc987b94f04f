import { channel, tracingChannel } from 'node:diagnostics_channel';

/** A run of a statement. */
export interface StatementRun {
  readonly name: string;
  /** The SQL, without its values. */
  readonly text: string;
  startedAt?: number;
}

/** A run of a {@link Batch}. */
export interface BatchRun {
  readonly name: string;
  readonly size: number;
}

/** A rejection of work, because too much work was waiting. */
export interface Rejection {
  readonly by: 'batch' | 'limit';
}

// Diagnostics channels for metrics and traces. Without subscribers, a channel costs one check of a flag.
export const STATEMENTS = tracingChannel<'petstore.statement', StatementRun>('petstore.statement');
export const RUNS = channel('petstore.batch.run');
export const REJECTIONS = channel('petstore.rejection');

/** Publishes a rejection. */
export function recordRejection(by: Rejection['by']): void {
  if (REJECTIONS.hasSubscribers) REJECTIONS.publish({ by } satisfies Rejection);
}
