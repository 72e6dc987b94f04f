import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';

import type { FallbackRoutes } from '../http/fallback-routes.js';
import { sendWithETag } from '../http/etag.js';

const marked = new Marked(gfmHeadingId());
const PAGE = readFileSync(join(import.meta.dirname, 'explorer', 'page.html'), 'utf8');

/** Serves a text in Markdown as a page below /docs. Its first heading is the title. */
export function serveMarkdown(routes: FallbackRoutes, path: string, markdown: string): void {
  const [, title = ''] = /^# (.+)$/m.exec(markdown) ?? [];
  const content = marked.parse(markdown, { async: false });
  const html = PAGE.replaceAll('{title}', () => title).replace('{content}', () => content);
  routes.get(path, (_request, response) => sendWithETag(response.type('html'), html));
}
