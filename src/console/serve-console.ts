import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Config } from '../config/config.js';
import { escapeHtml, type Pages } from '../openapi/pages/pages.js';

const PAGE = { path: '/console', name: 'Console', description: 'create an account, and manage its keys' };

const HEAD = `<link rel="stylesheet" href="console/console.css">
    <script src="console/console.js" type="module"></script>
    <link rel="modulepreload" href="console/page.js">
    <link rel="modulepreload" href="console/session.js">`;

/** Serves the page at /console, on which people create accounts and manage keys. */
export function serveConsole(pages: Pages, { signup, supportContact }: Config): void {
  const pathOf = (file: string) => join(import.meta.dirname, file);
  pages.addPage(PAGE, HEAD, async () => {
    const html = await readFile(pathOf('console.html'), 'utf8');
    return html
      .replaceAll('{contact}', () => escapeHtml(supportContact ?? 'the operator of this service'))
      .replaceAll('{open}', signup === 'open' ? '' : 'hidden')
      .replaceAll('{closed}', signup === 'open' ? 'hidden' : '');
  });
  for (const file of ['console.css', 'console.js', 'page.js', 'session.js']) {
    pages.addFile(`/console/${file}`, pathOf(file));
  }
}
