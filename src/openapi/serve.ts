import type { OpenAPIObject } from '@nestjs/swagger';

import { stringifyJson } from '../domain/json.js';
import type { FallbackRoutes } from '../http/fallback-routes.js';
import { serveExplorer } from './explorer.js';

/**
 * Serves the published documents and, at /docs, Swagger UI.
 *
 * @param accounts the document of the operations on accounts and keys, if the service has them
 */
export function serveDocuments(
  routes: FallbackRoutes,
  document: OpenAPIObject,
  accounts: OpenAPIObject | undefined,
): void {
  serve(routes, '/openapi.json', 'application/json', () => toJson(document));
  serve(routes, '/openapi.yaml', 'application/yaml', () => toYaml(document));
  if (accounts) serve(routes, '/openapi-accounts.json', 'application/json', () => toJson(accounts));
  serveExplorer(routes, accounts !== undefined);
}

/** Serves a text, which is written for the first request. */
function serve(
  routes: FallbackRoutes,
  path: string,
  type: string,
  write: () => string | Promise<string>,
): void {
  let text: string | undefined;
  routes.get(path, async (_request, response) => {
    text ??= await write();
    response.type(type).send(text);
  });
}

function toJson(document: OpenAPIObject): string {
  return `${stringifyJson(document, 2)}\n`;
}

async function toYaml(document: OpenAPIObject): Promise<string> {
  // Loaded only when it is requested.
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false });
}
