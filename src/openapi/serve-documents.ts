import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { OpenAPIObject } from '@nestjs/swagger';

import { stringifyJson } from '../domain/json.js';
import { operationsByPath } from './operations.js';
import { readMarkdown } from './pages/markdown.js';
import { escapeHtml, type Pages } from './pages/pages.js';
import { postmanCollection } from './postman.js';

const EXPLORER = { path: '/docs', name: 'Explorer', description: 'every operation, with samples and calls' };

const EXPLORER_HEAD = `<link rel="preload" href="docs/swagger-ui.css" as="style">
    <link rel="stylesheet" href="docs/explorer.css">
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/explorer.js" type="module"></script>`;

const MARKDOWN_HEAD = '<script src="../docs/copy.js" type="module"></script>';

const MARKDOWN = [
  { file: 'docs/guide.md', name: 'Guide', description: 'how to call the service, with a quickstart' },
  { file: 'docs/errors.md', name: 'Errors', description: 'each code, and what to do' },
  { file: 'docs/integers.md', name: 'Large integers', description: 'JavaScript rounds ids beyond 2^53' },
  { file: 'CHANGELOG.md', name: 'Changelog', description: 'what changed, and what may change within v1' },
];

const FILES = [
  ...['explorer.css', 'explorer.js', 'layout.js', 'operations.js'].map((file) => `explorer/${file}`),
  'samples.js',
].map((file) => join(import.meta.dirname, file));

const PACKAGED_FILES = [
  import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
].map((url) => fileURLToPath(url));

/**
 * Serves the published documents, Swagger UI at /docs, and further pages below it.
 *
 * @param accounts the document of the operations on accounts and keys, if the service has them
 */
export function serveDocuments(pages: Pages, document: OpenAPIObject, accounts?: OpenAPIObject): void {
  pages.addPage(EXPLORER, EXPLORER_HEAD, () => explorerContent(document));
  for (const { file, ...page } of MARKDOWN) {
    const path = `/docs/${basename(file, '.md').toLowerCase()}`;
    pages.addPage({ path, ...page }, MARKDOWN_HEAD, () => readMarkdown(file));
  }
  for (const file of [...FILES, ...PACKAGED_FILES]) pages.addFile(file);
  pages.addText('/openapi.json', 'json', () => `${stringifyJson(document, 2)}\n`);
  pages.addText('/openapi.yaml', 'application/yaml', async () => {
    const { stringify } = await import('yaml');
    return stringify(document, { aliasDuplicateObjects: false });
  });
  pages.addText('/postman.json', 'json', () => stringifyJson(postmanCollection(document), 2));
  if (accounts) {
    pages.addText('/openapi-accounts.json', 'json', () => `${stringifyJson(accounts, 2)}\n`);
  }
}

/** Returns the operations as a list, which visitors read until Swagger UI replaces it, or without JavaScript. */
function explorerContent({ info, paths }: OpenAPIObject): string {
  const operations = operationsByPath(paths).map(
    ({ path, method, operation: { summary = '' } }) =>
      `<li><code>${method.toUpperCase()} ${escapeHtml(path)}</code> ${escapeHtml(summary)}</li>`,
  );
  return `<div id="explorer" data-token="<{CREDENTIAL}>">
      <main>
        <h1>${escapeHtml(info.title)}</h1>
        <p>
          Loading… The explorer requires JavaScript. If it does not appear, reload the page, or read
          <a href="docs/guide">the guide</a> and <a href="openapi.json">openapi.json</a>.
        </p>
        <h2 id="content">Operations</h2>
        <ul>${operations.join('')}</ul>
      </main>
    </div>
    <p id="status" role="status"></p>`;
}
