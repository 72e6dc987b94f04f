import { AsyncLocalStorage } from 'node:async_hooks';

import {
  type Context,
  context,
  createContextKey,
  ROOT_CONTEXT,
  type Span,
  trace,
  TraceFlags,
} from '@opentelemetry/api';

import { JOINS, RUNS } from '../../database/database.diagnostics.js';

/** As many as a batch has items: a statement links each request that it serves. */
export const MAX_LINKS = 256;

/** Where the context of a run keeps the spans of the requests that it serves. */
const SERVED = createContextKey('spans that a run of a batch serves');

/** Lets a diagnostics channel set OpenTelemetry's active context. */
class ActiveContext extends AsyncLocalStorage<Context> {
  override run<Result, Args extends unknown[]>(
    active: Context,
    work: (...args: Args) => Result,
    ...args: Args
  ): Result {
    return context.with(active, work, undefined, ...args);
  }
}

/** Runs each batch in the context of the first sampled request that it serves, and remembers the others. */
export function watchBatches(): void {
  const joined = new WeakMap<object, Context>();
  JOINS.subscribe((item) => joined.set(item as object, context.active()));
  RUNS.start.bindStore(new ActiveContext(), ({ items }) =>
    contextOf(items.map((item) => joined.get(item) ?? ROOT_CONTEXT)),
  );
}

/** Links a statement and the requests that it serves with each other, when there are several. */
export function linkStatement(statement: Span): void {
  const served = (context.active().getValue(SERVED) ?? []) as Span[];
  for (const request of served) {
    statement.addLink({ context: request.spanContext() });
    request.addLink({ context: statement.spanContext() });
  }
}

function contextOf(contexts: Context[]): Context {
  const sampled = contexts.filter(isSampled);
  const first = sampled[0] ?? contexts[0] ?? ROOT_CONTEXT;
  if (sampled.length < 2) return first;
  const spans = sampled.flatMap((one) => trace.getSpan(one) ?? []);
  return first.setValue(SERVED, spans);
}

function isSampled(one: Context): boolean {
  return ((trace.getSpanContext(one)?.traceFlags ?? TraceFlags.NONE) & TraceFlags.SAMPLED) !== 0;
}
