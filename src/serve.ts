import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';

import { createApp } from './app.setup.js';
import { AuthService } from './auth/auth.service.js';
import type { Composition } from './composition.js';
import type { Config } from './config.js';
import { stopOnSignal } from './shutdown.js';
import { welcome } from './welcome.js';

/**
 * Runs the service, as it comes or as it is composed, until a signal stops it. At the first start on an
 * empty embedded database, it prints a key.
 */
export async function serve(config: Config, composition: Composition = {}): Promise<NestExpressApplication> {
  const app = await createApp(config, composition);
  stopOnSignal(app, config);
  await app.listen(config.port, config.host);
  const url = await app.getUrl();
  const isEmbedded = config.databaseUrl === undefined;
  app
    .get(Logger)
    .log(
      `Listening on ${url}, on ${isEmbedded ? `the embedded database in ${config.dataDir}` : 'PostgreSQL'}`,
    );
  const firstKey = isEmbedded ? await app.get(AuthService).findFirstKey() : undefined;
  if (firstKey) process.stdout.write(welcome(url, firstKey.key));
  return app;
}
