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

/** The maximum number of items of a batch, because a statement links all requests that it serves. */
export const MAX_LINKS = 256;

/** The key of the spans of a batch's requests in the context of its run. */
const SERVED = createContextKey('spans that a run of a batch serves');

/** Binds OpenTelemetry's active context to a diagnostics channel. */
class ActiveContext extends AsyncLocalStorage<Context> {
  override run<Result, Args extends unknown[]>(
    active: Context,
    work: (...args: Args) => Result,
    ...args: Args
  ): Result {
    return context.with(active, work, undefined, ...args);
  }
}

/** Runs each batch in the context of its first sampled request, which contains the spans of all its requests. */
export function watchBatches(): void {
  const joined = new WeakMap<object, Context>();
  JOINS.subscribe((entry) => joined.set(entry as object, context.active()));
  RUNS.start.bindStore(new ActiveContext(), ({ entries }) =>
    contextOf(entries.map((entry) => joined.get(entry) ?? ROOT_CONTEXT)),
  );
}

/** Links the span of a statement with the spans of its requests, if there are several. */
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
