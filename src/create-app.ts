import './no-pretenuring.js';

import type { DynamicModule, NestApplicationOptions, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder } from '@nestjs/swagger';
import type { Router } from 'express';
import { Logger, PinoLogger } from 'nestjs-pino';

import { AccountsModule } from './auth/auth.module.js';
import { KeyVerifier } from './auth/callers/key-verifier.js';
import { KeysService } from './auth/keys/keys.service.js';
import { type Config, CONFIG } from './config/config.js';
import { rethrowListenError } from './config/config.errors.js';
import { SERVICE_NAME, type ServiceName, VERSION } from './program.js';
import { serveConsole } from './console/serve-console.js';
import { Database } from './database/database.js';
import { HealthService } from './health/health.service.js';
import { stopOnSignal, stopWithProcess } from './health/stop.js';
import { allowOrigins } from './http/cors.js';
import { refuseOtherMethods } from './http/fallback-routes.js';
import { PetstoreAdapter } from './http/petstore.adapter.js';
import { securityHeaders } from './http/response-headers.js';
import { START_LOG } from './observability/logs/log.module.js';
import { MetricsServer } from './observability/metrics/metrics.server.js';
import { observeRequest } from './observability/observe-request.js';
import { accountsBuilder, createDocument, findRoutes } from './openapi/document.js';
import { Pages } from './openapi/pages/pages.js';
import { serveDocuments } from './openapi/serve-documents.js';
import { ServiceModule } from './service.module.js';

/** Nest's options for the service. Routes that could hide each other stop the start. */
export const APP_OPTIONS = {
  bodyParser: false,
  routeConflictPolicy: { duplicate: 'error', shadow: 'error' },
  routeResolutionStrategy: 'specificity',
  ...START_LOG,
} as const satisfies NestApplicationOptions;

/**
 * Creates the service of a root module, which imports `PetstoreModule.forRoot(…)`, `AuthModule` and the features. The
 * database is open and, if the configuration requires it, migrated. `listen` initialises the application.
 */
export async function createApp(
  root: Type | DynamicModule,
  options: NestApplicationOptions = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    ServiceModule.around(root),
    new PetstoreAdapter(),
    { ...APP_OPTIONS, ...options },
  );
  return setUpApp(app, options);
}

/** Adds the parts outside of modules to an application. If that fails, closes the application. */
export async function setUpApp(
  app: NestExpressApplication,
  { logger }: NestApplicationOptions = {},
): Promise<NestExpressApplication> {
  try {
    const config = app.get<Config>(CONFIG);
    if (logger === undefined) app.useLogger(app.get(Logger));
    app.flushLogs();
    app.use(observeRequest(await app.resolve(PinoLogger), config));
    const adapter = app.getHttpAdapter() as PetstoreAdapter;
    if (config.corsOrigins) allowOrigins(app, config.corsOrigins);
    adapter.addFallbackRoutes = () => addDocumentsAndPages(app, config, adapter.fallback);
    return app;
  } catch (error) {
    // An error of `close` must not replace the error of the start.
    await app.close().catch(() => undefined);
    throw error;
  }
}

function addDocumentsAndPages(app: NestExpressApplication, config: Config, router: Router): void {
  const { issuesKeys } = app.get(KeysService);
  const name = app.get<ServiceName>(SERVICE_NAME);
  const builder = app.get(DocumentBuilder);
  const document = createDocument(app, builder, (module) => module !== AccountsModule);
  const accounts = issuesKeys
    ? createDocument(app, accountsBuilder(name), (module) => module === AccountsModule)
    : undefined;
  const origins = [config.publicUrl, config.stagingUrl].flatMap((url) => (url ? [new URL(url).origin] : []));
  router.use(securityHeaders(origins));
  const pages = new Pages(router, name.title, app.get(KeyVerifier).credential);
  serveDocuments(pages, document, accounts);
  if (issuesKeys) serveConsole(pages, config);
  for (const { path, methods } of findRoutes(app)) refuseOtherMethods(router, path, methods);
  pages.addNotFound(router);
}

/**
 * Runs the service of a root module, or an application of `createApp`, until a signal stops it. The first start on an
 * empty embedded database prints a key.
 */
export async function serve(
  root: Type | DynamicModule | NestExpressApplication,
  options: NestApplicationOptions = {},
): Promise<NestExpressApplication> {
  stopOnSignal();
  const app = 'listen' in root ? root : await createApp(root, options);
  const config = app.get<Config>(CONFIG);
  stopWithProcess(app, config, app.get(HealthService));
  await app.init();
  await app.listen(config.port, config.host).catch(rethrowListenError('HOST, PORT'));
  const url = await app.getUrl();
  const isEmbedded = config.databaseUrl === undefined;
  const database = isEmbedded ? `the embedded database in ${config.dataDir}` : app.get(Database).engine;
  app.get(Logger).log(`Listening on ${url}, on ${database}, version ${VERSION}`);
  const { port } = app.get(MetricsServer);
  if (port !== undefined) app.get(Logger).log(`Metrics are at /metrics on port ${port}`);
  const firstKey = isEmbedded ? await app.get(KeysService).createFirst() : undefined;
  if (firstKey) process.stdout.write(welcome(url, firstKey.key));
  return app;
}

/** Formats the text that the first start on an empty embedded database prints: the key and a first call. */
function welcome(url: string, key: string): string {
  const line = '═'.repeat(78);
  return `
${line}
  Your API key. Copy it now: it is shown only once.

      ${key}

  A first call:

      curl -H 'Authorization: Bearer ${key}' ${url}/v1/pets

  To explore every operation, open ${url}/docs and press Authorize.
  More keys and accounts: ${url}/console
${line}

`;
}
