import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The root of the package, relative to the compiled code. */
const PACKAGE = join(import.meta.dirname, '../../../..');

/**
 * Returns a Markdown file of the package in HTML, with links to its sections. Links to other files of the package
 * become links to their pages, the local URL becomes that of the service, and the API key becomes its token.
 */
export async function readMarkdown(file: string): Promise<string> {
  // Loaded at the first request.
  const { Marked } = await import('marked');
  const { getHeadingList, gfmHeadingId } = await import('marked-gfm-heading-id');
  const markdown = await readFile(join(PACKAGE, file), 'utf8');
  const html = new Marked(gfmHeadingId()).parse(markdown, { async: false });
  const headings = getHeadingList().filter(({ level }) => level === 2);
  const links = headings.map(({ id, text }) => `<a href="#${id}">${breakable(text)}</a>`);
  return (
    `<main id="content">${html}</main><p id="status" role="status"></p>`
      .replace('</h1>', () => `</h1>\n<nav aria-label="Sections">${links.join(' ')}</nav>`)
      .replaceAll(
        /<(h[23]) id="([^"]+)">(.+?)<\/\1>/g,
        (_heading, tag: string, id: string, text: string) =>
          `<${tag} id="${id}">${breakable(text)}&nbsp;<a href="#${id}" aria-labelledby="${id}">#</a></${tag}>`,
      )
      // Long lines scroll, also by the keyboard.
      .replaceAll('<pre>', '<pre tabindex="0">')
      .replaceAll(/(?<=href=")[./a-z]*\b(\w+)\.md/g, (_link, name: string) => name.toLowerCase())
      .replaceAll('http://127.0.0.1:3000', '{root}')
      .replaceAll('API key', '{credential}')
      .replaceAll('API_KEY', '{CREDENTIAL}')
  );
}

/** Lets long names with underscores wrap. */
const breakable = (html: string) => html.replaceAll('_', '_<wbr>');
