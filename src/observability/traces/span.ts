import { SpanStatusCode, trace } from '@opentelemetry/api';

/** Runs work in a span, which ends with the work. Without tracing, only runs the work. */
export function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return trace.getTracer('petstore').startActiveSpan(name, async (span) => {
    try {
      return await work();
    } catch (error) {
      // The message of the error may contain data of the client, so the span omits it.
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
