import type { Pages } from './pages.js';

/** The media type of an API catalog (RFC 9727), a set of links in JSON (RFC 9264). */
const CATALOG = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** Adds what programs look for: rules for crawlers, and lists of the pages for language models and clients. */
export function addIndexes(pages: Pages): void {
  pages.addText('/robots.txt', 'txt', () => 'User-agent: *\nDisallow: /v1/\n');
  pages.addText('/llms.txt', 'txt', () => {
    const links = pages.all.map(
      ({ path, name, description }) => `- [${name}]({root}${path}): ${description}`,
    );
    return `# ${pages.title}\n\n> The API: [openapi.json]({root}/openapi.json)\n\n## Pages\n\n${links.join('\n')}\n`;
  });
  pages.addText('/.well-known/api-catalog', CATALOG, () => {
    const documents = pages.all.map(({ path }) => ({ href: `{root}${path}`, type: 'text/html' }));
    const description = [{ href: '{root}/openapi.json', type: 'application/json' }];
    const link = { anchor: '{root}/v1', 'service-desc': description, 'service-doc': documents };
    return JSON.stringify({ linkset: [link] });
  });
}
