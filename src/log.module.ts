import { LoggerModule } from 'nestjs-pino';
import { stdSerializers } from 'pino';
import pretty from 'pino-pretty';

import { CONFIG, type Config } from './config.js';

/**
 * Logs by pino: JSON, one object a line, or a readable form on a terminal. Requests are logged by
 * {@link requestLog}, so the library's own middleware is not mounted on any route.
 */
export const LogModule = LoggerModule.forRootAsync({
  inject: [CONFIG],
  useFactory: ({ logLevel: level }: Config) => ({
    pinoHttp: process.stdout.isTTY
      ? [options(level), pretty({ ignore: 'pid,hostname', sync: true })]
      : options(level),
    forRoutes: [],
  }),
});

function options(level: Config['logLevel']) {
  return { level, serializers: { err: describeError } };
}

/** An error without what the driver adds to it: the detail of a refused row holds the client's data. */
function describeError(error: Error): object {
  const { type, message, stack, ['code']: code } = stdSerializers.err(error);
  return { type, message, stack, code: code as unknown };
}
