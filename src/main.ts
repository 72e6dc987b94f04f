import { Logger } from 'nestjs-pino';

import { createApp } from './app.setup.js';
import { AuthService } from './auth/auth.service.js';
import { type Config, readConfig } from './config.js';
import { exitWith } from './failed-start.js';
import { stopOnSignal } from './shutdown.js';
import { welcome } from './welcome.js';

async function main(config: Config): Promise<void> {
  const app = await createApp(config);
  stopOnSignal(app, config);
  await app.listen(config.port, config.host);
  const url = await app.getUrl();
  app
    .get(Logger)
    .log(
      `Listening on ${url}, on ${config.databaseUrl === undefined ? `the embedded database in ${config.dataDir}` : 'PostgreSQL'}`,
    );
  const firstKey = config.databaseUrl === undefined ? await app.get(AuthService).findFirstKey() : undefined;
  if (firstKey) process.stdout.write(welcome(url, firstKey.key));
}

try {
  await main(readConfig(process.env));
} catch (error) {
  exitWith(error);
}
