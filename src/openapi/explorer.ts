import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { FallbackRoutes } from '../http/fallback-routes.js';

// Found, not imported: the package would run the code of the whole page at every start.
const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'];

/** The line of the page that links to the console. */
const GET_A_KEY = /^ *<p class="get-a-key">.*\n/m;

/**
 * Serves Swagger UI at /docs, without files from elsewhere.
 *
 * @param hasConsole whether the service has a page where people get a key
 */
export function serveExplorer(routes: FallbackRoutes, hasConsole: boolean): void {
  const directory = join(import.meta.dirname, 'explorer');
  const page = readFileSync(join(directory, 'explorer.html'), 'utf8');
  routes.get('/docs', (_request, response) =>
    response
      .type('html')
      .set('Cache-Control', 'no-cache')
      .send(hasConsole ? page : page.replace(GET_A_KEY, '')),
  );
  for (const file of ['paw.svg', 'explorer.css', 'explorer.js', 'page.css']) {
    routes.get(`/docs/${file}`, (_request, response) => response.sendFile(file, { root: directory }));
  }
  for (const file of SWAGGER_UI_FILES) {
    routes.get(`/docs/${file}`, (_request, response) =>
      response.sendFile(file, { root: SWAGGER_UI, maxAge: '1h' }),
    );
  }
}
