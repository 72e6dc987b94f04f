import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Request, Router } from 'express';

import { placeholderOf } from '../../domain/errors.js';
import { rootUrl } from '../../http/service-address.js';
import { Content } from './content.js';

/** A page that the menu of every page links to. */
export interface MenuItem {
  readonly path: string;
  readonly name: string;
  readonly description: string;
}

/** The files of every page. */
const FILES = [
  fileURLToPath(import.meta.resolve('simpledotcss/simple.min.css')),
  ...['style.css', 'copy.js', 'paw.svg'].map((file) => join(import.meta.dirname, file)),
];

/** A longer path that does not exist gets no page. */
const MAX_PATH_PARTS = 20;

const NOT_FOUND = { name: 'Page not found', description: 'there is no page at this URL' };
const NOTHING = `<main id="content">
      <h1>Page not found</h1>
      <p>There is no page at this URL. <a href="{base}docs">The explorer</a> shows every operation.</p>
    </main>`;

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/** The pages, documents and files that GET and HEAD requests receive, by their paths. */
export class Pages {
  /** In the order of the menu. */
  private readonly all: MenuItem[] = [];
  /** The contents, or the relative URLs to which a request is redirected, by the paths. */
  private readonly contents = new Map<string, string | ((request: Request) => Content | Promise<Content>)>();

  /**
   * @param title the name of the service on the pages
   * @param credential the name of the bearer token
   */
  constructor(
    router: Router,
    private readonly title: string,
    private readonly credential: string,
  ) {
    FILES.forEach((file) => this.addFile(file));
    this.addFile(join(import.meta.dirname, 'paw.svg'), '/favicon.ico');
    this.contents.set('/', 'docs');
    router.use(async (request, response, next) => {
      const content = this.contents.get(request.path);
      if (content === undefined || !isRead(request)) next();
      else if (typeof content === 'string') response.redirect(content);
      else await (await content(request)).send(request, response);
    });
  }

  /**
   * Adds a page.
   *
   * @param head further elements of the head. `{base}` stands for the relative URL of `/`
   * @param write returns the main element; called at the first request
   */
  addPage(page: MenuItem, head: string, write: () => string | Promise<string>): void {
    this.all.push(page);
    this.contents.set(`${page.path}/`, `../${basename(page.path)}`);
    this.addText(page.path, 'html', async () => this.toHtml(page, head, await write()));
  }

  /** Adds a file, which is read at its first request. */
  addFile(file: string, path = `/docs/${basename(file)}`): void {
    let content: Content | undefined;
    this.contents.set(path, () => (content ??= new Content(extname(file), readFileSync(file), false)));
  }

  /** Answers browsers with a page when nothing else has the path. Programs, and requests for operations, get an error. */
  addNotFound(router: Router): void {
    router.use((request, response, next) => {
      const isOperation = /^\/v1(?:\/|$)/.test(request.path);
      response.vary('Accept');
      // Each part of the path makes each URL of the page longer.
      const isDeep = request.path.split('/').length > MAX_PATH_PARTS;
      if (isOperation || isDeep || !isRead(request) || request.accepts('json', 'html') !== 'html') {
        next();
        return;
      }
      const html = this.toHtml({ ...NOT_FOUND, path: request.path }, '', NOTHING);
      response.status(404).type('html').send(html);
    });
  }

  /**
   * Adds a text, in which `{root}` stands for the URL of the service, `{credential}` for the name of the bearer token,
   * and `{CREDENTIAL}` for its placeholder in examples.
   *
   * @param type a file extension or a media type
   * @param write returns the text; called at the first request
   */
  addText(path: string, type: string, write: () => string | Promise<string>): void {
    let text: string | undefined;
    // Most requests have the same host. Only one content is kept, because strangers can send any number of hosts.
    let last: { root: string; content: Content } | undefined;
    this.contents.set(path, async (request) => {
      text ??= (await write())
        .replaceAll('{credential}', () => this.credential)
        .replaceAll('{CREDENTIAL}', () => placeholderOf(this.credential));
      const root = rootUrl(request);
      if (last?.root !== root) {
        last = { root, content: new Content(type, Buffer.from(text.replaceAll('{root}', () => root)), true) };
      }
      return last.content;
    });
  }

  /** Returns a page in HTML. Its URLs are relative, so that it works behind proxies that add a path prefix. */
  private toHtml({ path, name, description }: MenuItem, head: string, content: string): string {
    const title = escapeHtml(this.title);
    const links = this.all.map((page) => {
      const current = page.path === path ? ' aria-current="page"' : '';
      return `<a href="{base}${page.path.slice(1)}"${current}>${page.name}</a>`;
    });
    const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${name} · ${title}</title>
    <meta name="description" content="${title}: ${description}.">
    <link rel="icon" href="{base}docs/paw.svg" type="image/svg+xml">
    <link rel="preload" href="{base}docs/simple.min.css" as="style">
    <link rel="stylesheet" href="{base}docs/style.css">
    ${head}
  </head>
  <body>
    <a class="off-screen" href="#content">Skip to the content</a>
    <nav aria-label="Pages"><strong>${title}</strong> ${links.join(' ')}</nav>
    ${content}
  </body>
</html>
`;
    return html.replaceAll('{base}', '../'.repeat(path.split('/').length - 2));
  }
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
