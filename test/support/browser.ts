import { existsSync } from 'node:fs';

import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Whether there is a browser to test in, and what to say when there is none. */
export const hasChromium = existsSync(CHROMIUM);
export const NO_CHROMIUM = `there is no Chromium at ${CHROMIUM}; CHROMIUM_PATH can name it`;

/** Starts a browser without a window, which asks nobody but whom the test names. */
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

/** Someone in front of a browser: their first tab, and what their tabs asked for and complained of. */
export interface Visitor {
  page: Page;
  /** The hosts that were asked for anything. */
  hosts: Set<string>;
  /** What the console of the browser shows, refused calls apart. */
  complaints: string[];
  leave(): Promise<void>;
}

/** Opens a browser profile of its own. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, ...options });
  const [hosts, complaints] = [new Set<string>(), new Array<string>()];
  context.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:') hosts.add(host);
  });
  context.on('console', (message) => {
    // That a call was refused is no complaint of a page.
    if (/\/(v1\/.+|keys(\/\d+)?|accounts?)$/.test(message.location().url)) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  return { page: await context.newPage(), hosts, complaints, leave: () => context.close() };
}

/** What axe finds wrong with the page, or with the element that a selector names, in short. */
export async function violations(page: Page, selector = 'html'): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<AxeResults['violations']>(
    `axe.run(${JSON.stringify(selector)}, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** What makes the page scroll sideways, or stands beyond its edge. */
export async function cutOff(page: Page): Promise<unknown> {
  return page.evaluate(`{
    const edge = document.documentElement.clientWidth;
    const scrolls = (element) => element !== document.documentElement &&
      (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || (element.parentElement && scrolls(element.parentElement)));
    [
      ...(document.documentElement.scrollWidth > edge ? ['the page scrolls to ' + document.documentElement.scrollWidth] : []),
      ...[...document.body.querySelectorAll('*')]
        .filter((element) => element.getBoundingClientRect().right > edge + 1 && !scrolls(element))
        .map((element) => element.outerHTML.slice(0, 120)),
    ];
  }`);
}
