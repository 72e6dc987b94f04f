import { LoggerModule } from 'nestjs-pino';
import { stdSerializers } from 'pino';

import { CONFIG, type Config } from '../../config/config.js';
import { traceIds } from '../traces/active-trace.js';

/**
 * Logs by pino: JSON, one object a line, or a readable form on a terminal. Requests are logged by
 * {@link requestLog}, so the library's own middleware is not mounted on any route.
 */
export const LogModule = LoggerModule.forRootAsync({
  inject: [CONFIG],
  useFactory: async (config: Config) => ({
    pinoHttp: process.stdout.isTTY ? [options(config), await readableForm()] : options(config),
    forRoutes: [],
  }),
});

async function readableForm() {
  // Loaded where somebody reads it.
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname', sync: true });
}

function options({ logLevel: level, otlpEndpoint }: Config) {
  const serializers = { err: describeError };
  return otlpEndpoint === undefined
    ? { level, serializers }
    : { level, serializers, mixin: () => ({ ...traceIds() }) };
}

/** An error without what the driver adds to it: the detail of a refused row holds the client's data. */
function describeError(error: Error): object {
  const { type, message, stack, ['code']: code } = stdSerializers.err(error);
  return { type, message, stack, code: code as unknown };
}
