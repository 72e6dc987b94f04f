import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

import { serveFiles } from '../http/files.js';

// Found, not imported: the package would run the whole page's code here, at every start.
const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

/** The line of the page that leads to where one gets a key. */
const GET_A_KEY = /^ *<p class="get-a-key">.*\n/m;

/**
 * Serves Swagger UI at /docs, from this process alone.
 *
 * @param hasConsole whether there is a page where one gets a key
 */
export function serveExplorer(app: NestExpressApplication, hasConsole: boolean): void {
  const directory = join(import.meta.dirname, 'explorer');
  const page = readFileSync(join(directory, 'explorer.html'), 'utf8');
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/docs', (_request, response) =>
    response
      .type('html')
      .set('Cache-Control', 'no-cache')
      .send(hasConsole ? page : page.replace(GET_A_KEY, '')),
  );
  serveFiles(app, directory, {
    '/docs/paw.svg': 'paw.svg',
    '/docs/explorer.css': 'explorer.css',
    '/docs/explorer.js': 'explorer.js',
  });
  const names = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'];
  const files = Object.fromEntries(names.map((name) => [`/docs/${name}`, name]));
  serveFiles(app, SWAGGER_UI, files, '1h');
}
