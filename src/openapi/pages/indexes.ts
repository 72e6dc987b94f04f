import type { Pages } from './pages.js';

/** The media type of an API catalog (RFC 9727), a set of links in JSON (RFC 9264). */
const CATALOG = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The time after which the contact should be read again: less than a year, as RFC 9116 recommends. */
const CONTACT_VALIDITY_MS = 360 * 24 * 60 * 60 * 1000;

/** Adds the contact for reports of security problems (RFC 9116). */
export function addSecurityContact(pages: Pages, contact: string): void {
  pages.addText('/.well-known/security.txt', 'txt', () => {
    const expires = new Date(Date.now() + CONTACT_VALIDITY_MS).toISOString();
    return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`;
  });
}

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
