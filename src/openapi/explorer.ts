import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { NestExpressApplication } from '@nestjs/platform-express';

import { serveFiles } from '../http/files.js';

// Found, not imported: the package would run the whole page's code here, at every start.
const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

/** Serves Swagger UI at /docs, from this process alone. */
export function serveExplorer(app: NestExpressApplication): void {
  serveFiles(app, join(import.meta.dirname, 'explorer'), {
    '/docs': 'explorer.html',
    '/docs/explorer.css': 'explorer.css',
    '/docs/explorer.js': 'explorer.js',
  });
  const names = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'];
  const files = Object.fromEntries(names.map((name) => [`/docs/${name}`, name]));
  serveFiles(app, SWAGGER_UI, files, '1h');
}
