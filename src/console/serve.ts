import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

import type { Config } from '../config/config.js';
import { serveFiles } from '../http/files.js';

const FILES = ['api.js', 'console.css', 'console.js', 'key-rows.js', 'key.js', 'page.js'];

/** Serves, at /console, the page on which people make accounts and look after their keys. */
export function serveConsole(app: NestExpressApplication, { signup, supportContact }: Config): void {
  serveFiles(app, import.meta.dirname, {
    '/console': 'console.html',
    ...Object.fromEntries(FILES.map((file) => [`/console/${file}`, file])),
  });
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/console/settings.json', (_request, response) =>
    response.json({ signup, contact: supportContact ?? null }),
  );
}
