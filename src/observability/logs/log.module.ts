import { AsyncLocalStorage } from 'node:async_hooks';
import { isatty } from 'node:tty';

import { trace } from '@opentelemetry/api';
import { LoggerModule } from 'nestjs-pino';
import { type DestinationStream, type LogFn, type Logger as PinoLogger, stdSerializers } from 'pino';

import { CONFIG, type Config } from '../../config/config.js';
import { messageOf } from '../../domain/errors.js';
import { COMMAND } from '../../program.js';

/** Keeps the lines of the start until the log of the application exists. If the start throws, the caller reports why. */
export const START_LOG = { bufferLogs: true, autoFlushLogs: false, abortOnError: false } as const;

/**
 * Logs with pino: one JSON object per line, or a readable form on a terminal. {@link observeRequest} logs the requests, so
 * that the middleware of nestjs-pino is mounted on no route.
 */
export const LogModule = LoggerModule.forRootAsync({
  inject: [CONFIG, { token: COMMAND, optional: true }],
  useFactory: async (config: Config, isCommand?: true) => ({
    // The results of a command are on stdout.
    pinoHttp: [options(config, isCommand), await destinationOf(isCommand ? process.stderr : process.stdout)],
    forRoutes: [],
  }),
});

/** The maximum number of bytes that wait for a slow reader of the log. Further lines are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 ** 2;

/** A log that cannot be written to, such as one on a full disk, does not end the service. */
const ignoreError = () => undefined;

async function destinationOf(stream: NodeJS.WriteStream & { fd: number }): Promise<DestinationStream> {
  if (isatty(stream.fd)) {
    // Loaded only if it is used.
    const { default: pretty } = await import('pino-pretty');
    return pretty({ ignore: 'pid,hostname', destination: stream.fd, sync: true });
  }
  // The applications of a process share the listener.
  stream.off('error', ignoreError).on('error', ignoreError);
  // A write of pino to a pipe that nothing reads would block the service, or its end.
  return { write: (line) => stream.writableLength < MAX_WAITING_BYTES && stream.write(line) };
}

function options({ logLevel }: Config, isCommand?: true) {
  return {
    // A command prints its results and errors for a person.
    level: logLevel ?? (isCommand && isatty(process.stderr.fd) ? 'silent' : 'info'),
    // The serializer gets the error itself, not the object that pino-http makes of it.
    wrapSerializers: false,
    serializers: { err: describeError },
    mixin: contextIds,
    hooks: { logMethod },
  };
}

/** Nest's classes that log a line for each module, controller and route at the start. */
const START_LOGGERS: readonly unknown[] = [
  'NestFactory',
  'InstanceLoader',
  'NestApplication',
  'RoutesResolver',
  'RouterExplorer',
];

const INFO = 30;

/** Drops their lines, and passes all others on, including those of modules that log while they start. */
function logMethod(this: PinoLogger, args: Parameters<LogFn>, log: LogFn, level: number): void {
  const [details] = args as unknown as [{ context?: unknown }?];
  if (level === INFO && START_LOGGERS.includes(details?.context)) return;
  log.apply(this, args);
}

/** The id of the request for which the code runs. */
export const requestIds = new AsyncLocalStorage<string>();

/** Returns the id of the request, and those of the active span, by OpenTelemetry's names for logs. */
function contextIds(): object {
  const requestId = requestIds.getStore();
  const active = trace.getActiveSpan()?.spanContext();
  return active ? { requestId, trace_id: active.traceId, span_id: active.spanId } : { requestId };
}

/** Removes the details that pg adds to an error, because the detail of a rejected row contains data of the client. */
function describeError(error: unknown): object {
  // A library may throw something else. A text is like a message, but an object may contain data of the client.
  if (!(error instanceof Error))
    return { type: typeof error, ...(typeof error === 'string' && { message: error }) };
  try {
    const { type, message, stack, ['code']: code } = stdSerializers.err(error);
    return { type, message, stack, code: code as unknown };
  } catch {
    return { type: 'Error', message: messageOf(error) };
  }
}
