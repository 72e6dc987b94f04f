import type { Config } from '../config/config.js';
import type { FallbackRoutes } from '../http/fallback-routes.js';

const FILES = [
  'api.js',
  'call-key.js',
  'console.css',
  'console.js',
  'key-rows.js',
  'key.js',
  'new-key.js',
  'page.js',
];

/** Serves the page at /console, on which people create accounts and manage keys. */
export function serveConsole(routes: FallbackRoutes, { signup, supportContact }: Config): void {
  const root = import.meta.dirname;
  routes.getFile('/console', root, 'console.html');
  routes.redirect('/console/', '../console');
  for (const file of FILES) routes.getFile(`/console/${file}`, root, file);
  routes.get('/console/settings.json', (_request, response) =>
    response.json({ signup, contact: supportContact ?? null }),
  );
}
