import { channel, tracingChannel } from 'node:diagnostics_channel';

/** A statement that is run. */
export interface StatementRun {
  readonly name: string;
  /** The SQL, without its values. */
  readonly text: string;
  startedAt?: number;
}

/** A run of a {@link Batch}. */
export interface BatchRun {
  readonly name: string;
  /** How many items it takes. */
  readonly size: number;
}

/** A run of what is done together, by the items that {@link JOINS} told of. */
export interface JointRun {
  readonly items: readonly object[];
}

/** Something that was refused because too much was waiting. */
export interface Refusal {
  readonly by: 'batch' | 'bulkhead' | 'pool';
}

// What goes on in the database folder, for whoever watches it. While nobody does, it costs a look at a flag.
export const STATEMENTS = tracingChannel<'petstore.statement', StatementRun>('petstore.statement');
export const BATCHES = channel('petstore.batch');
export const JOINS = channel('petstore.batch.join');
export const RUNS = tracingChannel<unknown, JointRun>('petstore.batch.run');
export const REFUSALS = channel('petstore.refusal');

/** Tells the watchers of a refusal. */
export function noteRefusal(by: Refusal['by']): void {
  if (REFUSALS.hasSubscribers) REFUSALS.publish({ by } satisfies Refusal);
}
