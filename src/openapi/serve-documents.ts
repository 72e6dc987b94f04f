import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { OpenAPIObject } from '@nestjs/swagger';

import { stringifyJson } from '../domain/json.js';
import type { ErrorBody } from '../http/errors/error.dto.js';
import { BASE_PATH } from './document.js';
import { errorsOf } from './errors.js';
import { addIndexes } from './pages/indexes.js';
import { readMarkdown } from './pages/markdown.js';
import type { Pages } from './pages/pages.js';

const EXPLORER = { path: '/docs', name: 'Explorer', description: 'every operation, with samples and calls' };

const EXPLORER_HEAD = `<link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/explorer.css">
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/explorer.js" type="module"></script>`;

/** Swagger UI replaces the text, which visitors without JavaScript, or on slow networks, read. */
const EXPLORER_CONTENT = `<div id="explorer">
      <main>
        <p>
          Loading… The explorer requires JavaScript. If it does not appear, reload the page, or read
          <a href="docs/guide">the guide</a> and <a href="openapi.json">openapi.json</a>.
        </p>
      </main>
    </div>
    <p id="status" role="status"></p>`;

const MARKDOWN = [
  { file: 'docs/guide.md', name: 'Guide', description: 'how to call the service, with a quickstart' },
  { file: 'docs/errors.md', name: 'Errors', description: 'each code, and what to do' },
  { file: 'docs/integers.md', name: 'Large integers', description: 'JavaScript rounds ids beyond 2^53' },
  { file: 'CHANGELOG.md', name: 'Changelog', description: 'what changed, and what may change within v1' },
];

/** The directory of the files of the pages, all of which are public. */
const DIRECTORY = join(import.meta.dirname, 'explorer');

const PACKAGED_FILES = [
  import.meta.resolve('simpledotcss/simple.min.css'),
  import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
].map((url) => fileURLToPath(url));

/**
 * Serves the published documents, Swagger UI at /docs, and further pages below it.
 *
 * @param accounts the document of the operations on accounts and keys, if the service has them
 */
export function serveDocuments(pages: Pages, document: OpenAPIObject, accounts?: OpenAPIObject): void {
  const errors = errorsOf(document).map((error) => [error.code, textOf(error)] as const);
  pages.addPage(EXPLORER, EXPLORER_HEAD, () => EXPLORER_CONTENT);
  for (const { file, ...page } of MARKDOWN) {
    const path = `/docs/${basename(file, '.md').toLowerCase()}`;
    const sections = new Map(page.name === 'Errors' ? errors : []);
    pages.addPage({ path, ...page }, '', () => readMarkdown(file, sections));
  }
  for (const file of readdirSync(DIRECTORY)) pages.addFile(`/docs/${file}`, join(DIRECTORY, file));
  for (const file of PACKAGED_FILES) pages.addFile(`/docs/${basename(file)}`, file);
  pages.addFile('/favicon.ico', join(DIRECTORY, 'paw.svg'));
  pages.addText('/openapi.json', 'json', () => toJson(document, BASE_PATH));
  pages.addText('/openapi.yaml', 'application/yaml', async () => {
    const { stringify } = await import('yaml');
    return stringify(await withSamples(document, BASE_PATH), { aliasDuplicateObjects: false });
  });
  if (accounts) pages.addText('/openapi-accounts.json', 'json', () => toJson(accounts, ''));
  addIndexes(pages);
}

/** Returns the text about an error code that the page about errors lacks, in Markdown. */
function textOf(error: ErrorBody): string {
  return `Status ${error.status}. The message says what is wrong.\n\n    ${JSON.stringify(error)}`;
}

async function toJson(document: OpenAPIObject, basePath: string): Promise<string> {
  return `${stringifyJson(await withSamples(document, basePath), 2)}\n`;
}

/** Adds the samples, at the first request: their library is large. */
async function withSamples(document: OpenAPIObject, basePath: string): Promise<OpenAPIObject> {
  const { addCodeSamples } = await import('./code-samples.js');
  addCodeSamples(document, basePath);
  return document;
}
