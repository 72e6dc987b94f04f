import { stringifyJson } from '../domain/json.js';
import type { Page } from '../domain/page.js';

/** Where a page keeps its body. */
const BODY = Symbol('body');

/** Where a page keeps its link to the next one, with the address that it was asked for by. */
const LINK = Symbol('link to the next page');

/** What an answer holds, and how it becomes bytes. */
interface Body {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}

interface Written {
  [BODY]?: Body | undefined;
  [LINK]?: { readonly url: string; readonly value: string } | undefined;
}

/** The body of a page, which is written once for all who get the same page. */
export function bodyOf(page: Page<object> & Written): Body {
  return (page[BODY] ??= toBody(stringifyJson(page.items)));
}

/** ASCII is the same in UTF-8 and in Latin-1, of which Node knows the length without counting it for each answer. */
function toBody(text: string): Body {
  return { text, encoding: Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8' };
}

/** The link to the next page (RFC 8288). Those who get the same page have mostly asked for it by the same address. */
export function linkToNext(page: Page<object> & Written, url: string, after: bigint): string {
  const known = page[LINK];
  if (known?.url === url) return known.value;
  const value = `<${nextPage(url, after)}>; rel="next"`;
  page[LINK] = { url, value };
  return value;
}

/** An address with another `after`, which keeps the filter and the limit. */
function nextPage(url: string, after: bigint): string {
  // What needs no escapes needs not to be taken apart, which takes its time.
  if (PLAIN.test(url)) return AFTER.test(url) ? url.replace(AFTER, `${after}`) : `${url}&after=${after}`;
  const [path = ''] = url.split('?', 1);
  const parameters = new URLSearchParams(url.slice(path.length));
  parameters.set('after', after.toString());
  return `${path}?${parameters.toString()}`;
}

/** A path and a query in which nothing is escaped, or has to be. */
const PLAIN = /^[\w/]+\?\w+=\w*(?:&\w+=\w*)*$/;
/** The value of the parameter `after`. */
const AFTER = /(?<=[?&]after=)\w*/;
