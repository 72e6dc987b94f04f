import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import {
  type Context,
  context,
  createContextKey,
  defaultTextMapGetter,
  defaultTextMapSetter,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import {
  ATTR_DB_QUERY_SUMMARY,
  ATTR_DB_QUERY_TEXT,
  ATTR_DB_RESPONSE_STATUS_CODE,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  DB_SYSTEM_NAME_VALUE_POSTGRESQL,
} from '@opentelemetry/semantic-conventions';
import type { Request } from 'express';
import type { PinoLogger } from 'nestjs-pino';

import type { Config } from '../../config/config.js';
import {
  JOINS,
  type JointRun,
  RUNS,
  type StatementRun,
  STATEMENTS,
} from '../../database/database.diagnostics.js';
import { ActiveContext } from './active-context.js';
import { setTraceSource } from './active-trace.js';
import { startRequestSpan } from './request-span.js';
import { createSpanPipeline } from './span-pipeline.js';
import { TRACED_METHODS } from './traced.js';

/** Where a context keeps the spans of all that is done together in it. */
const SERVED = createContextKey('spans that a joint run serves');

/**
 * Shows each request as a trace: the request, the service's operation, its statements. What is done for
 * several requests together is a part of the first one's trace, and linked with each of them both ways.
 */
export class Tracing {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  private readonly propagator = new W3CTraceContextPropagator();
  private readonly active = new ActiveContext();
  private readonly joined = new WeakMap<object, Context>();
  private readonly statements = new WeakMap<object, Span>();
  private readonly untraced: (() => void)[] = [];

  private readonly noteRequest = (request: IncomingMessage, response: ServerResponse) => {
    const parent = this.propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const span = startRequestSpan(this.tracer, parent, request as Request, response);
    // For the listeners that follow, and all that they begin.
    this.active.storage.enterWith(trace.setSpan(parent, span));
  };
  private readonly noteJoin = (item: unknown) => this.joined.set(item as object, this.active.active());
  private readonly statementEvents = {
    start: (run: StatementRun) => this.startStatement(run),
    asyncEnd: (run: StatementRun & { error?: unknown }) => this.endStatement(run),
  };

  constructor(
    private readonly server: Server,
    config: Config,
    logger: PinoLogger,
  ) {
    this.provider = createSpanPipeline(config, logger);
    this.tracer = this.provider.getTracer('petstore');
    // For the spans of what a team adds.
    context.setGlobalContextManager(this.active);
    trace.setGlobalTracerProvider(this.provider);
    setTraceSource({ ids: () => this.ids(), headers: () => this.headers() });
    server.prependListener('request', this.noteRequest);
    JOINS.subscribe(this.noteJoin);
    RUNS.start.bindStore(this.active.storage, (run) => this.contextOf(run));
    STATEMENTS.subscribe(this.statementEvents as Parameters<typeof STATEMENTS.subscribe>[0]);
    this.traceMethods();
  }

  /** Stops, and sends what has not been sent. What the collector does not take is lost. */
  async stop(): Promise<void> {
    this.server.off('request', this.noteRequest);
    JOINS.unsubscribe(this.noteJoin);
    RUNS.start.unbindStore(this.active.storage);
    STATEMENTS.unsubscribe(this.statementEvents as Parameters<typeof STATEMENTS.unsubscribe>[0]);
    for (const restore of this.untraced) restore();
    setTraceSource(undefined);
    context.disable();
    trace.disable();
    // The exporter has told what went wrong.
    await this.provider.shutdown().catch(() => undefined);
  }

  private ids() {
    const found = trace.getSpanContext(this.active.active());
    return found && isSpanContextValid(found)
      ? { trace_id: found.traceId, span_id: found.spanId }
      : undefined;
  }

  private headers(): Record<string, string> {
    const headers = {};
    this.propagator.inject(this.active.active(), headers, defaultTextMapSetter);
    return headers;
  }

  private traceMethods(): void {
    for (const { prototype, name, method } of TRACED_METHODS) {
      if (!method) continue;
      const title = `${prototype.constructor.name}.${name}`;
      const traceCall = (work: () => Promise<unknown>) => this.traceCall(title, work);
      const methods = prototype as Record<string, typeof method>;
      methods[name] = function (this: unknown, ...args) {
        return traceCall(() => method.apply(this, args));
      };
      this.untraced.push(() => void (methods[name] = method));
    }
  }

  private async traceCall(title: string, work: () => Promise<unknown>): Promise<unknown> {
    const parent = this.active.active();
    const span = this.tracer.startSpan(title, {}, parent);
    try {
      return await this.active.storage.run(trace.setSpan(parent, span), work);
    } catch (error) {
      span.setAttribute(ATTR_ERROR_TYPE, nameOf(error)).setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  /** The context of the first request that is sampled, with the spans of all of them where there are several. */
  private contextOf({ items }: JointRun): Context {
    const contexts = items.map((item) => this.joined.get(item) ?? ROOT_CONTEXT);
    const sampled = contexts.filter(isSampled);
    const first = sampled[0] ?? contexts[0] ?? ROOT_CONTEXT;
    return sampled.length > 1 ? first.setValue(SERVED, sampled.flatMap(spansOf)) : first;
  }

  /** What belongs to no trace, such as a look at the queue, makes none. */
  private startStatement(run: StatementRun): void {
    const parent = this.active.active();
    if (!trace.getSpan(parent)) return;
    const served = (parent.getValue(SERVED) ?? []) as Span[];
    const span = this.tracer.startSpan(
      run.name,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          [ATTR_DB_SYSTEM_NAME]: DB_SYSTEM_NAME_VALUE_POSTGRESQL,
          [ATTR_DB_QUERY_SUMMARY]: run.name,
          [ATTR_DB_QUERY_TEXT]: run.text,
        },
        links: served.map((one) => ({ context: one.spanContext() })),
      },
      parent,
    );
    for (const one of served) one.addLink({ context: span.spanContext() });
    this.statements.set(run, span);
  }

  private endStatement(run: StatementRun & { error?: unknown }): void {
    const span = this.statements.get(run);
    if (!span) return;
    // Not the text of the error, which may hold what a client sent.
    if ('error' in run) {
      const { code } = run.error as { code?: unknown };
      if (typeof code === 'string') span.setAttribute(ATTR_DB_RESPONSE_STATUS_CODE, code);
      span.setAttribute(ATTR_ERROR_TYPE, typeof code === 'string' ? code : nameOf(run.error));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

function isSampled(of: Context): boolean {
  return ((trace.getSpanContext(of)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0;
}

function spansOf(of: Context): Span[] {
  const span = trace.getSpan(of);
  return span ? [span] : [];
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : '_OTHER';
}
