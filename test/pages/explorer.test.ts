import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import {
  cutOff,
  hasChromium,
  hiddenFocus,
  launchChromium,
  NO_CHROMIUM,
  violations,
  visit,
  type Visitor,
} from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

/** The largest int64, which the page must send and show exactly: 2^63 - 1. */
const LARGEST = '9223372036854775807';

// A test has many steps, and the machine may be slow.
vi.setConfig({ testTimeout: 180_000 });

let service: Service;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  if (!hasChromium) return;
  // With a second server, the page has a menu of servers.
  service = await startService({ SIGNUP: 'open', STAGING_URL: 'https://staging.pets.example/v1' });
  browser = await launchChromium();
  visitor = await visit(browser);
  page = visitor.page;
  await page.goto(`${service.url}/docs`);
});

beforeEach(({ skip }) => skip(!hasChromium, NO_CHROMIUM));

afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  await service.stop();
});

test('without a key, a call gets 401', async () => {
  const operation = await open('Pets', 'listPets');
  expect(await execute(operation)).toBe('401');
});

test('a wrong key is refused at once, and the name of the scheme before a key does not matter', async () => {
  const dialog = page.getByRole('dialog');
  await page.locator('.authorize.unlocked').first().click();
  await dialog.getByLabel('Value').fill('ps_wrong');
  await dialog.getByRole('button', { name: 'Authorize' }).click();
  await dialog.getByText('The service does not accept this key.').waitFor();
  expect(await violations(page, 'dialog')).toEqual([]);
  await dialog.getByLabel('Value').fill(`Bearer ${service.client.key ?? ''}`);
  await dialog.getByRole('button', { name: 'Authorize' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('The explorer uses this key').waitFor();
});

test('a key survives a reload, and is forgotten at logout; without one, the page leads to the console', async () => {
  const dialog = page.getByRole('dialog');
  await page.reload();
  await page.locator('.authorize.locked').first().click();
  await dialog.getByRole('button', { name: 'Logout' }).click();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  const links = page.getByRole('link', { name: 'Get a key' });
  expect(await links.evaluateAll((found) => found.map(String))).toEqual([
    ...[`${service.url}/console`, `${service.url}/console`],
  ]);
  await dialog.getByLabel('Value').fill(service.client.key ?? '');
  await dialog.getByRole('button', { name: 'Authorize' }).click();
  await dialog.waitFor({ state: 'hidden' });
});

test('integers above 2^53 are sent and shown as they are', async () => {
  const create = await open('Pets', 'createPet');
  await create.locator('textarea').fill(`{"name": "Kitty Cat", "categoryId": ${LARGEST}}`);
  expect(await execute(create)).toBe('201');
  const list = await open('Pets', 'listPets');
  expect(await execute(list)).toBe('200');
  for (const operation of [create, list]) {
    expect(await operation.locator('.live-responses-table').innerText()).toContain(LARGEST);
  }
  const operation = await open('Pets', 'getPet');
  await operation.locator('tr[data-param-name="petId"] input').fill(LARGEST);
  expect(await execute(operation)).toBe('404');
  expect(await operation.innerText()).toContain(`There is no animal with the id ${LARGEST}.`);
  expect(await operation.innerText()).not.toContain('9223372036854776000');
  expect(await operation.innerText()).toContain('sunset: Thu, 05 Dec 2030');
  // As a text, 93 is beyond the bounds.
  await operation.locator('tr[data-param-name="petId"] input').fill('93');
  expect(await execute(operation)).toBe('404');
  await operation.getByText(`There is no animal with the id 93.`).first().waitFor();
});

test('a link to an operation shows it', async () => {
  await page.goto(`${service.url}/docs#/Messages/createMessage`);
  await page.reload();
  const isShown = `document.getElementById('operations-Messages-createMessage')?.getBoundingClientRect().top < 50`;
  await expect.poll(() => page.evaluate(isShown)).toBe(true);
});

test('the stability and the day of removal of an operation are visible without opening it', async () => {
  const marksOf = (id: string) => page.locator(`#operations-${id} .opblock-summary .mark`).allInnerTexts();
  expect(await marksOf('Messages-createMessage')).toEqual(['beta']);
  expect(await marksOf('Store-listOrders')).toEqual(['experimental']);
  expect(await marksOf('Pets-getPet')).toEqual(['will be removed on 5 December 2030', 'use /v1/pets']);
  expect(await marksOf('Pets-listPets')).toEqual([]);
});

test('samples stand beside an operation in four languages, with the entered values and the key', async () => {
  const operation = await open('Pets', 'createPet');
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
  await page.reload();
});

test('an operation shows its errors in a line each, the common headers once, and at most 3,000 pixels', async () => {
  await page.setViewportSize({ width: 1240, height: 900 });
  const operation = await open('Pets', 'createPet');
  const error = operation.getByRole('listitem').filter({ hasText: /^401 / });
  expect(await error.innerText()).toMatch(/^401 unauthorized ?: The API key is not valid\.$/);
  expect(await error.getByRole('link').getAttribute('href')).toBe(`${service.url}/docs/errors#unauthorized`);
  expect(await operation.getByRole('cell', { name: 'X-Request-Id', exact: true }).count()).toBe(1);
  const { height = Infinity } = (await operation.boundingBox()) ?? {};
  expect(height).toBeLessThanOrEqual(3000);
  expect(await page.getByText('MIT', { exact: true }).isVisible()).toBe(false);
});

test('no bound of int64 is shown rounded', async () => {
  for (const name of ['NewPet', 'Pet', 'NewOrder']) {
    await page
      .locator(`.models .json-schema-2020-12-accordion`, { hasText: new RegExp(`^${name}$`) })
      .first()
      .click();
  }
  const shown = await page.locator('body').innerText();
  expect(shown).toContain('categoryId');
  expect(shown).toContain('int64');
  expect(shown).not.toMatch(/922337203685477\d(?!807|808)/);
});

test('the prefilled requests succeed once there is an animal', async () => {
  await page.reload();
  for (const [tag, id, status] of [
    ['Pets', 'createPet', '201'],
    ['Pets', 'getPet', '200'],
    ['Store', 'placeOrder', '201'],
  ] as const) {
    expect(await execute(await open(tag, id)), id).toBe(status);
  }
});

test('an invalid parameter keeps its name and is announced, and the response to the earlier one is gone', async () => {
  const operation = await open('Pets', 'listPets');
  expect(await execute(operation)).toBe('200');
  await operation.getByRole('textbox', { name: 'limit' }).fill('500');
  await operation.locator('button.execute').click();
  await page.getByRole('status').getByText("For 'limit': Value must be less than").waitFor();
  await operation.getByRole('textbox', { name: 'limit' }).and(page.locator('.invalid')).waitFor();
  expect(await operation.locator('.live-responses-table').count()).toBe(0);
});

test('with the keyboard alone, the focus is never lost, and responses and copies are announced', async () => {
  const reader = await visit(browser);
  onTestFinished(() => reader.leave());
  const { keyboard } = reader.page;
  await reader.page.goto(`${service.url}/docs#/Pets/createPet`);
  const operation = reader.page.locator('#operations-Pets-createPet');
  await operation.locator('.responses-table').waitFor();
  const focused = () =>
    reader.page.evaluate(
      'document.activeElement.textContent.trim() || document.activeElement.ariaLabel || document.activeElement.tagName',
    );
  const dialog = reader.page.getByRole('dialog', { name: 'Authorize' });

  await reader.page.locator('.authorize').first().focus();
  await keyboard.press('Enter');
  await expect.poll(() => dialog.locator('input:focus').count()).toBe(1);
  for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
    await keyboard.press(key);
    // Beyond the last element is the browser.
    expect(await reader.page.locator('main :focus').count(), key).toBe(
      await dialog.locator(':focus').count(),
    );
  }
  await keyboard.press('Escape');
  await expect.poll(focused).toBe('Authorize');
  await keyboard.press('Enter');
  await expect.poll(() => dialog.locator('input:focus').count()).toBe(1);
  await keyboard.type(service.client.key ?? '');
  await keyboard.press('Enter');
  await expect.poll(focused).toBe('Authorize');

  const status = reader.page.getByRole('status');
  await operation.getByRole('button', { name: 'Execute' }).focus();
  await keyboard.press('Enter');
  await status.getByText('Response: 201 Created').waitFor();
  await expect.poll(focused).toBe('Execute');
  await operation.locator('.samples').getByRole('button', { name: 'Copy' }).focus();
  await keyboard.press('Enter');
  await status.getByText('Copied.').waitFor();
  await reader.page.route('**/v1/**', (route) => route.abort());
  await operation.getByRole('button', { name: 'Execute' }).focus();
  await keyboard.press('Enter');
  await status.getByText('The service does not answer.').waitFor();
});

test('the dialog fits a screen at a zoom of 400 %', async () => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.locator('.authorize').first().click();
  for (const control of await page.locator('dialog :is(a, button)').all()) {
    await control.scrollIntoViewIfNeeded();
    const { y = -1, height = 0 } = (await control.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(256);
  }
  await page.setViewportSize({ width: 1280, height: 1000 });
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

test('the document of accounts and keys has operations that can be called', async () => {
  await page.goto(`${service.url}/docs?document=accounts`);
  expect(await execute(await open('Accounts', 'createAccount'))).toBe('201');
  expect(await execute(await open('Keys', 'listKeys'))).toBe('200');
});

// Colours and width do not depend on each other.
test.each([
  ['dark', 1280],
  ['light', 320],
] as const)(
  'in %s colours, on a screen that is %i pixels wide, nothing is cut off, the focus is visible, and axe finds nothing',
  async (colorScheme, width) => {
    const reader = await visit(browser, { colorScheme, viewport: { width, height: 640 } });
    onTestFinished(() => reader.leave());
    await reader.page.goto(`${service.url}/docs`);
    await reader.page.locator('.opblock').first().waitFor();
    await openKinds(reader.page);
    const operation = reader.page.locator('#operations-Pets-listPets');
    await operation.locator('button.execute').click();
    await operation.locator('.live-responses-table').waitFor();
    expect(await cutOff(reader.page)).toEqual([]);
    expect(await overlaps(reader.page)).toEqual([]);
    expect(await violations(reader.page)).toEqual([]);
    expect(await hiddenFocus(reader.page)).toEqual([]);
    expect(reader.complaints).toEqual([]);
  },
);

test('the page sends requests only to this service, and violates no Content-Security-Policy', () => {
  expect([...visitor.hosts]).toEqual([new URL(service.url).host]);
  expect(visitor.complaints).toEqual([]);
});

async function open(tag: string, operationId: string): Promise<Locator> {
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.waitFor();
  const body = operation.locator('.opblock-body');
  if (!(await body.isVisible())) await operation.locator('.opblock-summary-control').click();
  await body.waitFor();
  return operation;
}

/** Opens a list, an operation with a body, and a deprecated one with a parameter in its path. */
async function openKinds(of: Page): Promise<void> {
  await of.evaluate(
    `document.querySelectorAll('[id^=operations-Pets] .opblock-summary-control').forEach((each) => each.click())`,
  );
  await expect.poll(() => of.locator('.responses-table').count()).toBe(3);
}

/** Clicks Execute, and returns the status when the page shows the response. */
async function execute(operation: Locator): Promise<string> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => /\/(v1\/[^?]+|keys|accounts?)(\?|$)/.test(response.url())),
    operation.locator('button.execute').click(),
  ]);
  const status = String(answer.status());
  const shown = operation.locator('.live-responses-table .response-col_status', { hasText: status });
  await shown.waitFor();
  return status;
}

/** Returns the parts of the bar and of the operations' lines that overlap. */
async function overlaps(of: Page): Promise<unknown> {
  return of.evaluate(`[...document.querySelectorAll('header nav, .opblock-summary, .opblock-section-header')]
    .flatMap(({ children }) => [...children].flatMap((one, index) => [...children].slice(index + 1).map((other) => [one, other])))
    .filter(([one, other]) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    })
    .map((pair) => pair.map(({ outerHTML }) => outerHTML.slice(0, 120)))`);
}
