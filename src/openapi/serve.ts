import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

import type { Config } from '../config/config.js';
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
  serve(app, '/openapi.json', 'application/json', () => prettyJson(document));
  serve(app, '/openapi.yaml', 'application/yaml', () => yamlOf(document));
  if (hasAccounts) {
    serve(app, '/openapi-accounts.json', 'application/json', () => prettyJson(accountsDocument(app)));
  }
  serveExplorer(app, hasAccounts);
}

/** Serves a text, which is written when it is first asked for. */
function serve(
  app: NestExpressApplication,
  path: string,
  type: string,
  write: () => string | Promise<string>,
): void {
  const express: Express = app.getHttpAdapter().getInstance();
  let text: string | undefined;
  express.get(path, async (_request, response) => {
    text ??= await write();
    response.type(type).send(text);
  });
}

async function yamlOf(document: object): Promise<string> {
  // Loaded for those who ask for it.
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false });
}
