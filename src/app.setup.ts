import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { xContentTypeOptions } from 'helmet';
import { Logger, PinoLogger } from 'nestjs-pino';

import { AppModule, FEATURE_NAMES } from './app.module.js';
import type { Composition } from './composition/composition.js';
import { AuthService } from './auth/auth.service.js';
import { KeysService } from './auth/keys/keys.service.js';
import { welcome } from './auth/keys/welcome.js';
import { assertReplaceable } from './composition/replaceable.js';
import { assertSingleInstances } from './composition/single-instances.js';
import type { Config } from './config/config.js';
import { rethrowListenError } from './config/rethrow-listen-error.js';
import { serveConsole } from './console/serve-console.js';
import { Database } from './database/database.js';
import { ENGINE_NAMES } from './database/engine.js';
import { PoolerSettingsCheck } from './database/pool/pooler-settings.check.js';
import { Replicas } from './database/replicas/replicas.js';
import { stopOnSignal } from './health/shutdown.js';
import { allowOrigins } from './http/cors.js';
import { DTOS, type Dtos } from './http/validation/dtos.js';
import { STATUSES, type Statuses } from './http/errors/error-mapper.js';
import { FallbackRoutes } from './http/fallback-routes.js';
import { PetstoreAdapter } from './http/petstore.adapter.js';
import { checkRequest } from './http/request-checks.js';
import { securityHeaders } from './http/security-headers.js';
import { requestLog } from './observability/logs/request-log.js';
import { START_LOG } from './observability/logs/log.module.js';
import { HttpMetrics } from './observability/metrics/http.metrics.js';
import { accountsDocument, interfaceBuilder, interfaceDocument } from './openapi/document.js';
import { routesOf } from './openapi/operations.js';
import { Pages } from './openapi/pages/pages.js';
import { documentOwnErrors } from './openapi/own-errors.js';
import { scanOperations } from './openapi/scan-operations.js';
import { serveDocuments } from './openapi/serve-documents.js';

/**
 * Creates the service, or a composition of it. The returned application is initialised and does not listen yet. The
 * database is open and, if the configuration requires it, migrated.
 */
export async function createApp(
  config: Config,
  composition: Composition = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(config, composition),
    new PetstoreAdapter(config),
    { bodyParser: false, ...START_LOG },
  );
  return initApp(app, config, composition);
}

/** Adds the parts outside of modules to an application, and initialises it. If that fails, closes the application. */
export async function initApp(
  app: NestExpressApplication,
  config: Config,
  composition: Composition,
): Promise<NestExpressApplication> {
  try {
    assertReplaceable(app, composition.replace);
    assertSingleInstances(app, FEATURE_NAMES);
    app.use(requestLog(await app.resolve(PinoLogger)));
    app.use(xContentTypeOptions());
    if (config.metricsPort !== undefined) app.use(app.get(HttpMetrics).middleware);
    if (config.corsOrigins) allowOrigins(app, config.corsOrigins);
    app.use(checkRequest);
    app.useLogger(app.get(Logger));
    app.flushLogs();
    await composition.configure?.(app);
    addDocumentsAndPages(app, config, composition);
    await app.init();
    await app.get(PoolerSettingsCheck).check();
    app.get(Replicas).watch();
    return app;
  } catch (error) {
    // An error of `close` must not replace the error of the start.
    await app.close().catch(() => undefined);
    throw error;
  }
}

/** Documents the operations, and adds the documents, the pages, and the responses to unsupported methods. */
function addDocumentsAndPages(
  app: NestExpressApplication,
  config: Config,
  { errorCodes, tags = {}, scopes = {}, document: configureDocument }: Composition,
): void {
  const { issuesKeys, description } = app.get(AuthService);
  const texts = { keys: description, tags, errorCodes: Object.keys(errorCodes ?? {}) };
  const builder = interfaceBuilder(config, texts);
  // Before the scan, which adds global parameters and responses to the operations.
  configureDocument?.(builder);
  const operations = scanOperations(app, app.get<Dtos>(DTOS), scopes);
  const ownErrors = documentOwnErrors(operations, app.get<Statuses>(STATUSES));
  const fallback = app.get(FallbackRoutes);
  const document = interfaceDocument(builder, operations, config, texts);
  const origins = [config.publicUrl, config.stagingUrl].flatMap((url) => (url ? [new URL(url).origin] : []));
  fallback.router.use(securityHeaders(origins));
  const pages = new Pages(fallback.router);
  serveDocuments(pages, document, issuesKeys ? accountsDocument(operations) : undefined, ownErrors);
  if (issuesKeys) serveConsole(pages, config);
  for (const { path, methods } of routesOf(operations.paths)) fallback.refuseOtherMethods(path, methods);
}

/**
 * Runs the service, or a composition of it, until a signal stops it. The first start on an empty embedded database
 * prints a key.
 */
export async function serve(config: Config, composition: Composition = {}): Promise<NestExpressApplication> {
  const app = await createApp(config, composition);
  stopOnSignal(app, config);
  await app.listen(config.port, config.host).catch(rethrowListenError('HOST, PORT'));
  const url = await app.getUrl();
  const isEmbedded = config.databaseUrl === undefined;
  const database = isEmbedded
    ? `the embedded database in ${config.dataDir}`
    : ENGINE_NAMES[app.get(Database).engine];
  app.get(Logger).log(`Listening on ${url}, on ${database}`);
  const firstKey = isEmbedded ? await app.get(KeysService).createFirst() : undefined;
  if (firstKey) process.stdout.write(welcome(url, firstKey.key));
  return app;
}
