import { LoggerModule } from 'nestjs-pino';
import pretty from 'pino-pretty';

import { CONFIG, type Config } from './config.js';

/**
 * Logs by pino: JSON, one object a line, or a readable form on a terminal. Requests are logged by
 * {@link requestLog}, so the library's own middleware is not mounted on any route.
 */
export const LogModule = LoggerModule.forRootAsync({
  inject: [CONFIG],
  useFactory: ({ logLevel: level }: Config) => ({
    pinoHttp: process.stdout.isTTY ? [{ level }, pretty({ ignore: 'pid,hostname', sync: true })] : { level },
    forRoutes: [],
  }),
});
