import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { stringify as stringifyYaml } from 'yaml';

import type { Config } from '../config.js';
import { prettyJson } from '../domain/json.js';
import { securityHeaders } from '../http/security-headers.js';
import { accountsDocument, interfaceDocument } from './document.js';
import { serveExplorer } from './explorer.js';

/** Serves the published documents and, at /docs, the page to explore them. */
export function serveDocuments(
  app: NestExpressApplication,
  config: Config,
  tags?: Readonly<Record<string, string>>,
): void {
  const document = interfaceDocument(app, config, tags);
  const addresses = [config.publicUrl, config.stagingUrl].filter((url) => url !== undefined);
  app.use(securityHeaders(addresses.map((url) => new URL(url).origin)));
  serve(app, '/openapi.json', 'application/json', prettyJson(document));
  serve(app, '/openapi.yaml', 'application/yaml', stringifyYaml(document, { aliasDuplicateObjects: false }));
  serve(app, '/openapi-accounts.json', 'application/json', prettyJson(accountsDocument(app)));
  serveExplorer(app);
}

function serve(app: NestExpressApplication, path: string, type: string, text: string): void {
  const express: Express = app.getHttpAdapter().getInstance();
  express.get(path, (_request, response) => response.type(type).send(text));
}
