import type { Browser, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import {
  cutOff,
  hasChromium,
  hiddenFocus,
  launchChromium,
  NO_CHROMIUM,
  violations,
  visit,
} from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

/** The largest int64, which the page must send and show exactly: 2^63 - 1. */
const LARGEST = '9223372036854775807';

// A test has many steps, and the machine may be slow.
vi.setConfig({ testTimeout: 180_000 });

let service: Service;
let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  // With a second server, the page has a menu of servers.
  service = await startService({ STAGING_URL: 'https://staging.pets.example/v1' });
  browser = await launchChromium();
});

beforeEach(({ skip }) => skip(!hasChromium, NO_CHROMIUM));

afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  await service.stop();
});

/** Opens the explorer in a new browser profile. At the end of the test, expects no requests to others, and no errors. */
async function arrive(path: string, options?: BrowserContextOptions): Promise<Page> {
  const visitor = await visit(browser, options);
  onTestFinished(async () => {
    await visitor.leave();
    expect([...visitor.hosts]).toEqual([new URL(service.url).host]);
    // A violation of the Content-Security-Policy is an error.
    expect(visitor.complaints).toEqual([]);
  });
  await visitor.page.goto(`${service.url}${path}`);
  return visitor.page;
}

/** Opens the explorer as the console does: the tab has a key. */
async function arriveWithKey(path = '/docs', options?: BrowserContextOptions): Promise<Page> {
  const page = await arrive('/docs/style.css', options);
  await page.evaluate(`sessionStorage.setItem('petstore-key', '${service.client.key ?? ''}')`);
  await page.goto(`${service.url}${path}`);
  return page;
}

test('a visitor enters a key, which survives a reload, and is forgotten at logout', async () => {
  const page = await arrive('/docs');
  const dialog = page.getByRole('dialog');
  const enter = async (key: string) => {
    await dialog.getByLabel('Value').fill(key);
    await dialog.getByRole('button', { name: 'Authorize' }).click();
  };
  expect(await execute(await open(page, 'Pets', 'listPets'))).toBe('401');
  await page.locator('.authorize.unlocked').first().click();
  const links = page.getByRole('link', { name: 'Get a key' });
  const consoleUrl = `${service.url}/console`;
  expect(await links.evaluateAll((found) => found.map(String))).toEqual([consoleUrl, consoleUrl]);
  // A header cannot have the first one, and the second one is wrong.
  for (const key of ['ключ', 'ps_wrong']) {
    await enter(key);
    await dialog.getByText('The service did not accept this key.').waitFor();
  }
  // Meanwhile, the service cannot check a key.
  for (const status of [429, 503]) {
    await page.route('**/v1/**', (route) => route.fulfill({ status }), { times: 1 });
    await Promise.all([page.waitForResponse((response) => response.status() === status), enter('ps_wrong')]);
  }
  expect(await violations(page, 'dialog')).toEqual([]);
  // The name of the scheme is often copied with the key.
  await enter(`Bearer ${service.client.key ?? ''}`);
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('The explorer uses this key').waitFor();
  await page.reload();
  const operation = await open(page, 'Pets', 'listPets');
  expect(await execute(operation)).toBe('200');
  // An invalid parameter keeps its name and is announced, and the response to the earlier one is gone.
  await operation.getByRole('textbox', { name: 'limit' }).fill('500');
  await operation.locator('button.execute').click();
  await page.getByRole('status').getByText("For 'limit': Value must be less than").waitFor();
  await operation.getByRole('textbox', { name: 'limit' }).and(page.locator('.invalid')).waitFor();
  expect(await operation.locator('.live-responses-table').count()).toBe(0);
  await page.goto(`${service.url}/docs?document=accounts`);
  expect(await execute(await open(page, 'Keys', 'listKeys'))).toBe('200');
  const { body: created } = await service.client.post('/keys', { label: 'laptop' });
  const revoke = await open(page, 'Keys', 'revokeKey');
  await revoke.getByRole('textbox', { name: 'keyId' }).fill(String((created as { id: bigint }).id));
  expect(await execute(revoke)).toBe('204');
  await page.getByRole('status').getByText('Response: 204 No Content').waitFor();
  await page.locator('.authorize.locked').first().click();
  await dialog.getByRole('button', { name: 'Logout' }).click();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('integers above 2^53 are sent and shown as they are', async () => {
  const page = await arriveWithKey();
  const create = await open(page, 'Pets', 'createPet');
  await create.locator('textarea').fill(`{"name": "Kitty Cat", "categoryId": ${LARGEST}}`);
  expect(await execute(create)).toBe('201');
  const list = await open(page, 'Pets', 'listPets');
  expect(await execute(list)).toBe('200');
  for (const operation of [create, list]) {
    expect(await operation.locator('.live-responses-table').innerText()).toContain(LARGEST);
  }
  const operation = await open(page, 'Pets', 'getPet');
  await operation.locator('tr[data-param-name="petId"] input').fill(LARGEST);
  expect(await execute(operation)).toBe('404');
  expect(await operation.innerText()).toContain(`There is no animal with the id ${LARGEST}.`);
  expect(await operation.innerText()).not.toContain('9223372036854776000');
  expect(await operation.innerText()).toContain('sunset: Thu, 05 Dec 2030');
  // As a text, 93 is beyond the bounds.
  await operation.locator('tr[data-param-name="petId"] input').fill('93');
  expect(await execute(operation)).toBe('404');
  await operation.getByText(`There is no animal with the id 93.`).first().waitFor();
  for (const name of ['NewPet', 'Pet', 'NewOrder']) {
    await page
      .locator(`.models .json-schema-2020-12-accordion`, { hasText: new RegExp(`^${name}$`) })
      .first()
      .click();
  }
  const shown = await page.locator('body').innerText();
  expect(shown).toContain('int64');
  expect(shown).not.toMatch(/922337203685477\d(?!807|808)/);
});

test('a link to an operation shows it, with samples in four languages and an error in a line, and the list shows stability', async () => {
  const page = await arriveWithKey('/docs#/Pets/createPet', { viewport: { width: 1240, height: 900 } });
  const operation = await open(page, 'Pets', 'createPet');
  const isShown = `document.getElementById('operations-Pets-createPet').getBoundingClientRect().top < 50`;
  await expect.poll(() => page.evaluate(isShown)).toBe(true);
  const marksOf = (id: string) => page.locator(`#operations-${id} .opblock-summary .mark`).allInnerTexts();
  expect(await marksOf('Messages-createMessage')).toEqual(['beta']);
  expect(await marksOf('Store-listOrders')).toEqual(['experimental']);
  expect(await marksOf('Pets-getPet')).toEqual(['will be removed on 2030-12-05', 'use /v1/pets']);
  expect(await marksOf('Pets-listPets')).toEqual([]);
  await operation.locator('textarea').fill(`{"name": "It's Kitty", "categoryId": ${LARGEST}}`);
  await operation.getByRole('textbox', { name: 'Idempotency-Key' }).fill('once');
  const samples = operation.locator('.samples');
  for (const [language, text] of [
    ['Shell (curl)', `"It'\\''s Kitty", "categoryId": ${LARGEST}`],
    ['JavaScript (fetch)', `await fetch("${service.url}/v1/pets"`],
    ['Python (requests)', '"Idempotency-Key": "once"'],
    ['Go (net/http)', `"Bearer ${service.client.key ?? ''}"`],
  ] as const) {
    await samples.getByRole('button', { name: language }).click();
    await expect.poll(() => samples.innerText()).toContain(text);
  }
  expect(await samples.getByRole('button', { name: 'Copy' }).count()).toBe(1);
  const error = operation.locator('.response[data-code="401"]');
  expect((await error.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    /^401 unauthorized ?: The API key is not valid\. ?$/,
  );
  expect(await error.getByRole('link').getAttribute('href')).toBe(`${service.url}/docs/errors#unauthorized`);
  expect(await operation.getByRole('cell', { name: 'X-Request-Id', exact: true }).count()).toBe(1);
  const { height = Infinity } = (await operation.boundingBox()) ?? {};
  expect(height).toBeLessThanOrEqual(3000);
  expect(await page.getByText('MIT', { exact: true }).isVisible()).toBe(false);
});

test('with the keyboard alone, the focus is never lost, and responses and copies are announced', async () => {
  const page = await arrive('/docs#/Pets/createPet');
  const { keyboard } = page;
  const operation = page.locator('#operations-Pets-createPet');
  await operation.locator('.responses-table').waitFor();
  const focused = () =>
    page.evaluate(
      'document.activeElement.textContent.trim() || document.activeElement.ariaLabel || document.activeElement.tagName',
    );
  const dialog = page.getByRole('dialog', { name: 'Authorize' });

  await page.locator('.authorize').first().focus();
  await keyboard.press('Enter');
  await expect.poll(() => dialog.locator('input:focus').count()).toBe(1);
  for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
    await keyboard.press(key);
    // Beyond the last element is the browser.
    expect(await page.locator('main :focus').count(), key).toBe(await dialog.locator(':focus').count());
  }
  await keyboard.press('Escape');
  await expect.poll(focused).toBe('Authorize');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await keyboard.press('Enter');
  await expect.poll(() => dialog.locator('input:focus').count()).toBe(1);
  // At a zoom of 400 %, the dialog fits the screen.
  await page.setViewportSize({ width: 320, height: 256 });
  for (const control of await dialog.locator('a, button').all()) {
    await control.scrollIntoViewIfNeeded();
    const { y = -1, height = 0 } = (await control.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(256);
  }
  await page.setViewportSize({ width: 1280, height: 1000 });
  await keyboard.type(service.client.key ?? '');
  await keyboard.press('Enter');
  await expect.poll(focused).toBe('Authorize');

  const status = page.getByRole('status');
  await operation.getByRole('button', { name: 'Execute' }).focus();
  await keyboard.press('Enter');
  await status.getByText('Response: 201 Created').waitFor();
  await expect.poll(focused).toBe('Execute');
  await operation.locator('.samples').getByRole('button', { name: 'Copy' }).focus();
  await keyboard.press('Enter');
  await status.getByText('Copied.').waitFor();
  const calls: Route[] = [];
  await page.route('**/v1/**', (route) => void calls.push(route));
  await operation.getByRole('button', { name: 'Execute' }).focus();
  await keyboard.press('Enter');
  await keyboard.press('Enter');
  await expect.poll(() => calls.length).toBe(1);
  await calls[0]?.abort();
  await status.getByText('The service does not answer.').waitFor();
  expect(calls, 'a second click during a call sends nothing').toHaveLength(1);
});

test.each(['no JavaScript', 'samples.js'])(
  'a visitor whose browser cannot load the explorer (%s) reads the operations, and what to do',
  async (lost) => {
    const reader = await visit(browser, { javaScriptEnabled: lost !== 'no JavaScript' });
    onTestFinished(() => reader.leave());
    await reader.page.route(`**/${lost}`, (route) => route.abort());
    await reader.page.goto(`${service.url}/docs`);
    await reader.page.getByText('The explorer requires JavaScript.').waitFor();
    await reader.page.getByText('POST /pets Add an animal').waitFor();
    expect(await cutOff(reader.page)).toEqual([]);
    await reader.page.getByRole('link', { name: 'openapi.json' }).click();
    await reader.page.waitForURL(`${service.url}/openapi.json`);
  },
);

// Colours and width do not depend on each other.
test.each([
  ['dark', 1280],
  ['light', 320],
] as const)(
  'in %s colours, on a screen that is %i pixels wide, nothing is cut off, the focus is visible, and axe finds nothing',
  async (colorScheme, width) => {
    const page = await arrive('/docs', { colorScheme, viewport: { width, height: 640 } });
    await page.locator('.opblock').first().waitFor();
    await openKinds(page);
    const operation = page.locator('#operations-Pets-listPets');
    await operation.locator('button.execute').click();
    await operation.locator('.live-responses-table').waitFor();
    expect(await cutOff(page)).toEqual([]);
    expect(await overlaps(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    expect(await hiddenFocus(page)).toEqual([]);
  },
);

async function open(page: Page, tag: string, operationId: string): Promise<Locator> {
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.waitFor();
  const body = operation.locator('.opblock-body');
  if (!(await body.isVisible())) await operation.locator('.opblock-summary-control').click();
  await body.waitFor();
  return operation;
}

/** Opens a list, an operation with a body, and a deprecated one with a parameter in its path. */
async function openKinds(of: Page): Promise<void> {
  const summaries = '[id^=operations-Pets] .opblock-summary-control';
  const count = await of.locator(summaries).count();
  await of.evaluate(`document.querySelectorAll('${summaries}').forEach((each) => each.click())`);
  await expect.poll(() => of.locator('.responses-table').count()).toBe(count);
}

/** Clicks Execute, and returns the status when the page shows the response. */
async function execute(operation: Locator): Promise<string> {
  const [answer] = await Promise.all([
    operation
      .page()
      .waitForResponse((response) => /\/(v1\/[^?]+|keys(\/\d+)?|accounts?)(\?|$)/.test(response.url())),
    operation.locator('button.execute').click(),
  ]);
  const status = String(answer.status());
  const shown = operation.locator('.live-responses-table .response-col_status', { hasText: status });
  await shown.waitFor();
  return status;
}

/** Returns the parts of the bar and of the operations' lines that overlap. */
async function overlaps(of: Page): Promise<unknown> {
  return of.evaluate(`[...document.querySelectorAll('body > nav, .opblock-summary, .opblock-section-header')]
    .flatMap(({ children }) => [...children].flatMap((one, index) => [...children].slice(index + 1).map((other) => [one, other])))
    .filter(([one, other]) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    })
    .map((pair) => pair.map(({ outerHTML }) => outerHTML.slice(0, 120)))`);
}
