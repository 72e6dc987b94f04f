import { format } from 'node:util';

import { context, diag, type DiagLogFunction, DiagLogLevel, ROOT_CONTEXT } from '@opentelemetry/api';

/** Writes a line of OpenTelemetry to a log. */
type Write = (level: 'error' | 'warn' | 'info', text: string) => void;

/** The lines from before the log of the application exists. */
const waiting: Parameters<Write>[] = [];
let write: Write = (...line) => void waiting.push(line);

/** Collects the lines of OpenTelemetry, from the level of OTEL_LOG_LEVEL, which is `warn` by default. */
export function collectDiagnostics(minimum = 'warn'): void {
  const at =
    (level: Parameters<Write>[0]): DiagLogFunction =>
    (message, ...details) =>
      write(level, format(`OpenTelemetry: ${message}`, ...details));
  const logLevel = DiagLogLevel[minimum.toUpperCase() as keyof typeof DiagLogLevel] as
    DiagLogLevel | undefined;
  const info = at('info');
  // OTEL_LOG_LEVEL has chosen the lines, so LOG_LEVEL need not be lower for those about details.
  const logger = { error: at('error'), warn: at('warn'), info, debug: info, verbose: info };
  diag.setLogger(logger, { logLevel: logLevel ?? DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Writes the lines of OpenTelemetry to the log of the application. */
export function logDiagnostics(log: Write): void {
  // An export starts in the context of a request, but serves many.
  write = (...line) => context.with(ROOT_CONTEXT, log, undefined, ...line);
  for (const line of waiting.splice(0)) write(...line);
}
