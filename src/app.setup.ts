import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger, PinoLogger } from 'nestjs-pino';

import { AppModule, type Composition } from './app.module.js';
import { AuthService } from './auth/auth.service.js';
import { welcome } from './auth/keys/welcome.js';
import type { Config } from './config/config.js';
import { serveConsole } from './console/serve.js';
import { PoolerSettingsCheck } from './database/pool/pooler-settings.check.js';
import { Replicas } from './database/replicas/replicas.js';
import { stopOnSignal } from './health/shutdown.js';
import { answerBrokenRequests } from './http/broken-request.js';
import { allowOrigins } from './http/cors.js';
import { PetstoreAdapter } from './http/petstore.adapter.js';
import { requestLog } from './observability/logs/request-log.js';
import { HttpMetrics } from './observability/metrics/http.metrics.js';
import { serveDocuments } from './openapi/serve.js';

/**
 * Builds the service, as it comes or as it is composed. The returned application is initialised and does not
 * listen yet. The database is open and, if the configuration says so, migrated.
 */
export async function createApp(
  config: Config,
  composition: Composition = {},
): Promise<NestExpressApplication> {
  const adapter = new PetstoreAdapter(config);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config, composition), adapter, {
    bodyParser: false,
    // A failed start throws. The caller reports it once.
    logger: false,
    abortOnError: false,
  });
  answerBrokenRequests(app.getHttpServer(), config);
  app.use(requestLog(await app.resolve(PinoLogger)));
  if (config.metricsPort !== undefined) app.use(app.get(HttpMetrics).middleware);
  if (config.corsOrigins) allowOrigins(app, config.corsOrigins);
  const { keepsKeys, description } = app.get(AuthService);
  adapter.beside(() => {
    serveDocuments(app, config, { keys: description, tags: composition.tags ?? {} }, keepsKeys);
    if (keepsKeys) serveConsole(app, config);
  });
  await app.init();
  app.useLogger(app.get(Logger));
  await app.get(PoolerSettingsCheck).check();
  app.get(Replicas).watch();
  return app;
}

/**
 * Runs the service, as it comes or as it is composed, until a signal stops it. The first start on an empty
 * embedded database prints a key.
 */
export async function serve(config: Config, composition: Composition = {}): Promise<NestExpressApplication> {
  const app = await createApp(config, composition);
  stopOnSignal(app, config);
  await app.listen(config.port, config.host);
  const url = await app.getUrl();
  const isEmbedded = config.databaseUrl === undefined;
  const database = isEmbedded ? `the embedded database in ${config.dataDir}` : 'PostgreSQL';
  app.get(Logger).log(`Listening on ${url}, on ${database}`);
  const firstKey = isEmbedded ? await app.get(AuthService).findFirstKey() : undefined;
  if (firstKey) process.stdout.write(welcome(url, firstKey.key));
  return app;
}
