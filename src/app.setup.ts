import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger, PinoLogger } from 'nestjs-pino';

import { AppModule } from './app.module.js';
import { AuthService } from './auth/auth.service.js';
import { useSmallPieces } from './buffer-pool.js';
import type { Composition } from './composition.js';
import type { Config } from './config.js';
import { serveConsole } from './console/serve.js';
import { PooledSessions } from './database/pooled-sessions.js';
import { Replicas } from './database/replicas.js';
import { answerBrokenRequests } from './http/broken-request.js';
import { allowOrigins } from './http/cors.js';
import { PetstoreAdapter } from './http/petstore.adapter.js';
import { logRequests } from './http/request-log.js';
import { keepTick } from './kept-tick.js';
import { serveDocuments } from './openapi/serve.js';

/**
 * Builds the service, as it comes or as it is composed, initialised and not listening yet. The database is open
 * and, if the configuration says so, migrated.
 */
export async function createApp(
  config: Config,
  composition: Composition = {},
): Promise<NestExpressApplication> {
  useSmallPieces();
  await keepTick();
  const adapter = new PetstoreAdapter(config);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config, composition), adapter, {
    bodyParser: false,
    // A start that fails is thrown, and told once; what Nest says of one that succeeds is of no use to an operator.
    logger: false,
    abortOnError: false,
  });
  answerBrokenRequests(app.getHttpServer(), config);
  logRequests(app.getHttpServer(), await app.resolve(PinoLogger));
  if (config.corsOrigins) allowOrigins(app, config.corsOrigins);
  const { keepsKeys, description } = app.get(AuthService);
  adapter.beside(() => {
    serveDocuments(app, config, { keys: description, tags: composition.tags ?? {} }, keepsKeys);
    if (keepsKeys) serveConsole(app, config);
  });
  await app.init();
  app.useLogger(app.get(Logger));
  await app.get(PooledSessions).check();
  app.get(Replicas).watch();
  return app;
}
