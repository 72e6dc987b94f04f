import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { OpenAPIObject } from '@nestjs/swagger';

import { stringifyJson } from '../domain/json.js';
import type { ErrorBody } from '../http/errors/error.dto.js';
import type { FallbackRoutes } from '../http/fallback-routes.js';
import { rootUrl } from '../http/host.js';
import { sendWithETag } from '../http/etag.js';
import { errorsPage } from './pages/errors-page.js';
import { serveExplorer } from './pages/explorer.js';
import { GUIDE_PAGE } from './pages/guide-page.js';
import { serveMarkdown } from './pages/markdown-page.js';

/** The root of the package, relative to the compiled code. */
const PACKAGE = join(import.meta.dirname, '..', '..', '..');

/**
 * Serves the published documents and, at /docs, Swagger UI and further pages. Replaces `{root}` in a document by the
 * URL of the service.
 *
 * @param accounts the document of the operations on accounts and keys, if the service has them
 * @param ownErrors examples of the errors with additional codes
 */
export function serveDocuments(
  routes: FallbackRoutes,
  document: OpenAPIObject,
  accounts: OpenAPIObject | undefined,
  ownErrors: readonly ErrorBody[],
): void {
  const serve = (path: string, type: string, write: () => string | Promise<string>) => {
    let text: string | undefined;
    routes.get(path, async (request, response) => {
      // Serialized at the first request.
      text ??= await write();
      sendWithETag(
        response.type(type),
        text.replaceAll('{root}', () => rootUrl(request)),
      );
    });
  };
  serve('/openapi.json', 'application/json', () => toJson(document));
  serve('/openapi.yaml', 'application/yaml', () => toYaml(document));
  if (accounts) serve('/openapi-accounts.json', 'application/json', () => toJson(accounts));
  serveExplorer(routes, accounts !== undefined);
  serveMarkdown(routes, '/docs/guide', () => GUIDE_PAGE);
  serveMarkdown(routes, '/docs/errors', () => errorsPage(ownErrors));
  serveMarkdown(routes, '/docs/integers', () => readFileSync(join(PACKAGE, 'docs', 'integers.md'), 'utf8'));
  serveMarkdown(routes, '/docs/changelog', () => readFileSync(join(PACKAGE, 'CHANGELOG.md'), 'utf8'));
}

function toJson(document: OpenAPIObject): string {
  return `${stringifyJson(document, 2)}\n`;
}

async function toYaml(document: OpenAPIObject): Promise<string> {
  // Loaded at the first request.
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false });
}
