/** What a trace is known by in the logs, by the names that OpenTelemetry gives it there. */
export interface TraceIds {
  trace_id: string;
  span_id: string;
}

/** Knows the trace that what runs now belongs to. */
export interface TraceSource {
  ids(): TraceIds | undefined;
  headers(): Record<string, string>;
}

// Nothing of OpenTelemetry is imported here: whoever asks need not know whether anything is traced.
let source: TraceSource | undefined;

/** Who is asked from now on; undefined: nothing is traced. */
export function setTraceSource(next: TraceSource | undefined): void {
  source = next;
}

/** The trace and the span that what runs now belongs to; undefined: it belongs to none, or nothing is traced. */
export function traceIds(): TraceIds | undefined {
  return source?.ids();
}

/**
 * The headers by which a call to another service goes on with the trace of what makes it (W3C Trace
 * Context); none where nothing is traced.
 */
export function traceHeaders(): Record<string, string> {
  return source?.headers() ?? {};
}
