import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Config } from '../config/config.js';
import { escapeHtml, type Pages } from '../openapi/pages/pages.js';

const PAGE = { path: '/console', name: 'Console', description: 'create an account, and manage its keys' };

const HEAD = `<link rel="stylesheet" href="docs/console.css">
    <script src="docs/console.js" type="module"></script>`;

/** Serves the page at /console, on which people create accounts and manage keys. */
export function serveConsole(pages: Pages, { signup, supportContact }: Config): void {
  const pathOf = (file: string) => join(import.meta.dirname, file);
  pages.addPage(PAGE, HEAD, async () => {
    const html = await readFile(pathOf('console.html'), 'utf8');
    const isOpen = signup === 'open';
    return (
      html
        .replaceAll('{contact}', () => escapeHtml(supportContact ?? 'the operator of this service'))
        .replaceAll('{open}', isOpen ? '' : 'hidden')
        .replaceAll('{closed}', isOpen ? 'hidden' : '')
        // A page has one primary button.
        .replaceAll('{signIn}', isOpen ? 'secondary' : '')
    );
  });
  for (const file of ['console.css', 'console.js', 'form.js', 'session.js']) pages.addFile(pathOf(file));
}
