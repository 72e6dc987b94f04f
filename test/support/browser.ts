import { existsSync } from 'node:fs';

import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The shell is Chromium without its windows, and takes less CPU time. */
const [SHELL, BROWSER] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? (existsSync(SHELL) ? SHELL : BROWSER);

/** Whether there is a browser to test with, and the reason to skip if there is none. */
export const hasChromium = existsSync(CHROMIUM);
export const NO_CHROMIUM = `there is no Chromium at ${CHROMIUM}; CHROMIUM_PATH can name it`;

/** Starts a headless browser, which sends no requests of its own. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A browser profile: its first tab, and the requests and errors of all tabs. */
export interface Visitor {
  page: Page;
  /** The hosts that received requests. */
  hosts: Set<string>;
  /** The messages in the browser's console, except for rejected calls. */
  complaints: string[];
  leave(): Promise<void>;
}

/** Opens a new browser profile. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, ...options });
  const [hosts, complaints] = [new Set<string>(), new Array<string>()];
  context.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:') hosts.add(host);
  });
  context.on('console', (message) => {
    // A rejected call is not an error of the page.
    if (/\/(v1\/.+|keys(\/\d+)?|accounts?)$/.test(message.location().url)) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  return { page: await context.newPage(), hosts, complaints, leave: () => context.close() };
}

/** Returns the problems that axe finds on the page, or in the element that a selector names. */
export async function violations(page: Page, selector = 'html'): Promise<string[]> {
  await page.evaluate(axe.source);
  // Parts that fade in have less contrast until then.
  await page.evaluate('document.getAnimations().forEach((each) => each.finish())');
  // It would load the stylesheets, and cannot read those with layers.
  const found = await page.evaluate<AxeResults['violations']>(
    `axe.run(${JSON.stringify(selector)}, { resultTypes: ['violations'], preload: false }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Returns the elements that make the page scroll sideways, or extend beyond its edge, and words that a line's end cuts. */
export async function cutOff(page: Page): Promise<unknown> {
  return page.evaluate(`{
    const edge = document.documentElement.clientWidth;
    const words = [];
    for (const texts = document.createNodeIterator(document.body, NodeFilter.SHOW_TEXT), range = new Range(); texts.nextNode(); ) {
      for (const { index, 0: word } of texts.referenceNode.data.matchAll(/(?<!\\S)[\\w.,:;'"()]{2,24}(?!\\S)/g)) {
        range.setStart(texts.referenceNode, index);
        range.setEnd(texts.referenceNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) words.push(word);
      }
    }
    const scrolls = (element) => element !== document.documentElement &&
      (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || (element.parentElement && scrolls(element.parentElement)));
    [
      ...(document.documentElement.scrollWidth > edge ? ['the page scrolls to ' + document.documentElement.scrollWidth] : []),
      ...[...document.body.querySelectorAll('*')]
        .filter((element) => element.getBoundingClientRect().right > edge + 1 && !scrolls(element))
        .map((element) => element.outerHTML.slice(0, 120)),
      ...words,
    ];
  }`);
}

/** Returns the elements whose focus cannot be seen when the keyboard moves it back from the end of the page. */
export async function hiddenFocus(page: Page): Promise<unknown> {
  await page.keyboard.press('Tab');
  return page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .reverse()
    .filter((element) => {
      if (!element.checkVisibility()) return false;
      element.focus({ preventScroll: true });
      element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      document.getAnimations().forEach((each) => each.finish());
      const [{ x, y, width, height }] = element.getClientRects();
      const shown = document.elementFromPoint(x + width / 2, y + height / 2);
      return getComputedStyle(element).outlineStyle === 'none' || !element.contains(shown);
    })
    .map((element) => element.outerHTML.slice(0, 120))`);
}
