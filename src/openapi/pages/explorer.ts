import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { FallbackRoutes } from '../../http/fallback-routes.js';
import { sendWithETag } from '../../http/etag.js';

// Resolved, not imported: importing the package would run the code of the page.
const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'];

const FILES = [
  ...['paw.svg', 'explorer.css', 'page.css'],
  ...['explorer.js', 'accessibility.js', 'authorization.js', 'exact-integers.js', 'marks.js', 'samples.js'],
  ...['schemas.js', 'top-bar.js'],
];

/** The line of the page that links to the console. */
const GET_A_KEY = /^ *<p class="get-a-key">.*\n/m;

/**
 * Serves Swagger UI at /docs, without files from other origins.
 *
 * @param hasConsole whether the service has the page at /console
 */
export function serveExplorer(routes: FallbackRoutes, hasConsole: boolean): void {
  const directory = join(import.meta.dirname, '../explorer');
  const page = readFileSync(join(directory, 'explorer.html'), 'utf8');
  const html = hasConsole ? page : page.replace(GET_A_KEY, '');
  routes.get('/docs', (_request, response) => sendWithETag(response.type('html'), html));
  routes.redirect('/', 'docs');
  routes.redirect('/docs/', '../docs');
  for (const file of FILES) routes.getFile(`/docs/${file}`, directory, file);
  for (const file of SWAGGER_UI_FILES) {
    routes.getFile(`/docs/${file}`, SWAGGER_UI, file, { maxAge: '1h' });
  }
}
