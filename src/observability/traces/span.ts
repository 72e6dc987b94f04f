import { SpanStatusCode, trace } from '@opentelemetry/api';

/** Runs work in a span, which ends with it. Without tracing, it only runs the work. */
export function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return trace.getTracer('petstore').startActiveSpan(name, async (span) => {
    try {
      return await work();
    } catch (error) {
      // Without the message of the error, which may hold what a client sent.
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
