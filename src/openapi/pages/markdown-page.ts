import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';

import type { FallbackRoutes } from '../../http/fallback-routes.js';
import { sendWithETag } from '../../http/etag.js';

const marked = new Marked(gfmHeadingId());
const PAGE = readFileSync(join(import.meta.dirname, '../explorer/page.html'), 'utf8');

/**
 * Serves a Markdown text as a page below /docs. The first heading is the title of the page.
 *
 * @param read returns the text; called at the first request
 */
export function serveMarkdown(routes: FallbackRoutes, path: string, read: () => string): void {
  let html: string | undefined;
  routes.get(path, (_request, response) => {
    html ??= toHtml(read());
    sendWithETag(response.type('html'), html);
  });
}

function toHtml(markdown: string): string {
  const [, title = ''] = /^# (.+)$/m.exec(markdown) ?? [];
  const content = marked.parse(markdown, { async: false });
  return PAGE.replaceAll('{title}', () => title).replace('{content}', () => content);
}
