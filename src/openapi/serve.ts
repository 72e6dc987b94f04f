import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { stringify as stringifyYaml } from 'yaml';

import type { Config } from '../config.js';
import { prettyJson } from '../domain/json.js';
import { securityHeaders } from '../http/security-headers.js';
import { accountsDocument, interfaceDocument, type Texts } from './document.js';
import { serveExplorer } from './explorer.js';

/**
 * Serves the published documents and, at /docs, the page to explore them.
 *
 * @param hasAccounts whether the service has operations on accounts and keys, and a page for them
 */
export function serveDocuments(
  app: NestExpressApplication,
  config: Config,
  texts: Texts,
  hasAccounts: boolean,
): void {
  const document = interfaceDocument(app, config, texts);
  const addresses = [config.publicUrl, config.stagingUrl].filter((url) => url !== undefined);
  app.use(securityHeaders(addresses.map((url) => new URL(url).origin)));
  serve(app, '/openapi.json', 'application/json', prettyJson(document));
  serve(app, '/openapi.yaml', 'application/yaml', stringifyYaml(document, { aliasDuplicateObjects: false }));
  if (hasAccounts)
    serve(app, '/openapi-accounts.json', 'application/json', prettyJson(accountsDocument(app)));
  serveExplorer(app, hasAccounts);
}

function serve(app: NestExpressApplication, path: string, type: string, text: string): void {
  const express: Express = app.getHttpAdapter().getInstance();
  express.get(path, (_request, response) => response.type(type).send(text));
}
