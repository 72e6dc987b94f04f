import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import {
  cutOff,
  hasChromium,
  launchChromium,
  NO_CHROMIUM,
  violations,
  visit,
  type Visitor,
} from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

/** The largest int64, which the page must send and show exactly: 2^63 - 1. */
const LARGEST = '9223372036854775807';

/** The position of elements that are not visible. */
const NOWHERE = { y: Infinity, height: 0 };

// A test has many steps, and the machine may be slow.
vi.setConfig({ testTimeout: 180_000 });

let service: Service;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  if (!hasChromium) return;
  service = await startService({ SIGNUP: 'open' });
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

test('without a key, the page links to the console', async () => {
  await page.getByText('No key yet?').waitFor();
  expect(await page.getByRole('link', { name: 'Get one' }).getAttribute('href')).toBe('console');
});

test('without a key, a call gets 401', async () => {
  const operation = await open('Pets', 'listPets');
  expect(await execute(operation)).toBe('401');
});

test('a key survives a reload, and hides the link to the console', async () => {
  await page.locator('.auth-wrapper .authorize').click();
  await page.locator('.auth-container input').fill(service.client.key ?? '');
  await page.locator('.auth-btn-wrapper .authorize').click();
  await page.locator('.auth-btn-wrapper .btn-done').click();
  await page.getByText('No key yet?').waitFor({ state: 'hidden' });
  await page.reload();
  await page.locator('.auth-wrapper .authorize.locked').waitFor();
  expect(await page.getByText('No key yet?').isVisible()).toBe(false);
});

const CALLS = [
  { tag: 'Pets', id: 'createPet', status: '201', body: `{"name": "Kitty Cat", "categoryId": ${LARGEST}}` },
  { tag: 'Pets', id: 'listPets', status: '200' },
  { tag: 'Pets', id: 'getPet', status: '200', parameters: { petId: '1' } },
  { tag: 'Store', id: 'placeOrder', status: '201', body: '{"petId": 1}' },
  { tag: 'Store', id: 'listOrders', status: '200' },
  { tag: 'Messages', id: 'createMessage', status: '202' },
];

test.each(CALLS)('$id can be called', async ({ tag, id, status, body, parameters = {} }) => {
  const operation = await open(tag, id);
  for (const [name, value] of Object.entries(parameters)) {
    await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
  }
  if (body !== undefined) await operation.locator('textarea.body-param__text').fill(body);
  expect(await execute(operation)).toBe(status);
  if (tag === 'Pets') expect(await operation.locator('.live-responses-table').innerText()).toContain(LARGEST);
});

test('an id above 2^53 is sent as entered', async () => {
  const operation = await open('Pets', 'getPet');
  await operation.locator('tr[data-param-name="petId"] input').fill(LARGEST);
  expect(await execute(operation)).toBe('404');
  expect(await operation.innerText()).toContain(`There is no animal with the id ${LARGEST}.`);
  expect(await operation.innerText()).not.toContain('9223372036854776000');
});

test('the stability and the day of removal of an operation are visible without opening it', async () => {
  const marksOf = (id: string) => page.locator(`#operations-${id} .opblock-summary .marks`);
  expect(await marksOf('Messages-createMessage').innerText()).toBe('beta');
  expect(await marksOf('Store-listOrders').innerText()).toBe('experimental');
  expect(await marksOf('Pets-getPet').innerText()).toMatch(
    /^will be removed on 5 December 2030\s+use GET \/pets$/,
  );
  expect(await marksOf('Pets-listPets').count()).toBe(0);
});

test('a deprecated operation links to its successor', async () => {
  const replacement = page.locator('#operations-Pets-listPets');
  await replacement.locator('.opblock-summary-control').click();
  await replacement.locator('.opblock-body').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'use GET /pets' }).click();
  await replacement.locator('.opblock-body').waitFor();
  expect(page.url()).toBe(`${service.url}/docs#/Pets/listPets`);
});

test('an operation shows samples in several languages', async () => {
  const operation = await open('Pets', 'createPet');
  const samples = operation.getByRole('region', { name: 'Samples' });
  const shown = samples.locator('.microlight');
  expect(await samples.getByRole('button', { pressed: true }).allInnerTexts()).toEqual(['curl']);
  for (const [language, text] of [
    ['curl', `--url ${service.url}/v1/pets`],
    ['JavaScript (fetch)', `fetch('${service.url}/v1/pets', options)`],
    ['Python (requests)', 'import requests'],
    ['Go (net/http)', 'package main'],
  ] as const) {
    await samples.getByRole('button', { name: language }).click();
    expect(await shown.innerText()).toContain(text);
  }
  const other = page.locator('#operations-Store-placeOrder');
  await other.locator('.opblock-summary-control').click();
  await other.locator('.opblock-body').waitFor({ state: 'detached' });
  const next = (await open('Store', 'placeOrder')).getByRole('region', { name: 'Samples' });
  expect(await next.getByRole('button', { pressed: true }).allInnerTexts()).toEqual(['Go (net/http)']);
});

test('the schema of a list names its items before it is expanded', async () => {
  const schema = (name: string) =>
    page.locator('.models .json-schema-2020-12', { hasText: new RegExp(`^${name}`) }).first();
  expect(await schema('Pets').innerText()).toContain('array<Pet>');
  expect(await schema('Orders').innerText()).toContain('array<Order>');
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
    ['Pets', 'listPets', '200'],
    ['Pets', 'getPet', '200'],
    ['Store', 'placeOrder', '201'],
    ['Store', 'listOrders', '200'],
    ['Messages', 'createMessage', '202'],
  ] as const) {
    expect(await execute(await open(tag, id)), id).toBe(status);
  }
});

test('the document of accounts and keys has operations that can be called', async () => {
  const documents = page.getByRole('navigation', { name: 'Documents' });
  expect(await documents.getByRole('link').allInnerTexts()).toEqual(['Interface', 'Accounts and keys']);
  await documents.getByRole('link', { name: 'Accounts and keys' }).click();
  expect(await execute(await open('Accounts', 'createAccount'))).toBe('201');
  expect(await execute(await open('Accounts', 'getAccount'))).toBe('200');
  expect(await execute(await open('Keys', 'createKey'))).toBe('201');
  expect(await execute(await open('Keys', 'listKeys'))).toBe('200');
  expect(await documents.locator('[aria-current]').innerText()).toBe('Accounts and keys');
  await documents.getByRole('link', { name: 'Interface' }).click();
  await open('Pets', 'listPets');
});

// Colours and width do not depend on each other.
describe.each([
  ['dark', 1280],
  ['light', 360],
] as const)('in %s colours, on a screen that is %i pixels wide', (colorScheme, width) => {
  const size = { width, height: 640 };

  test('Authorize is visible, nothing is cut off, and axe finds no serious problem', async () => {
    const reader = await visit(browser, { colorScheme, viewport: size });
    onTestFinished(() => reader.leave());
    for (const address of ['/docs', '/docs?document=accounts']) {
      await reader.page.goto(service.url + address);
      const operations = reader.page.locator('.opblock');
      await operations.first().waitFor();
      const { y, height } =
        (await reader.page.getByRole('button', { name: 'Authorize' }).boundingBox()) ?? NOWHERE;
      expect(y + height).toBeLessThan(size.height);
      for (const operation of await operations.all()) {
        await operation.locator('.opblock-summary-control').click();
        await operation.locator('.responses-table').waitFor();
      }
      expect(await cutOff(reader.page)).toEqual([]);
      expect(await overlaps(reader.page)).toEqual([]);
      expect(await severeViolations(reader.page)).toEqual([]);
      await reader.page.getByRole('button', { name: 'Authorize' }).click();
      await reader.page.locator('.auth-container input').waitFor();
      expect(await severeViolations(reader.page, '.dialog-ux')).toEqual([]);
    }
    expect(reader.complaints).toEqual([]);
  });
});

test('the page sends requests only to this service, and violates no Content-Security-Policy', () => {
  expect([...visitor.hosts]).toEqual([new URL(service.url).host]);
  expect(visitor.complaints).toEqual([]);
});

async function severeViolations(of: Page, selector?: string): Promise<string[]> {
  return (await violations(of, selector)).filter((found) => /^(critical|serious)/.test(found));
}

async function open(tag: string, operationId: string): Promise<Locator> {
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.waitFor();
  const body = operation.locator('.opblock-body');
  if (!(await body.isVisible())) await operation.locator('.opblock-summary-control').click();
  await body.waitFor();
  return operation;
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
  return of.evaluate(`[...document.querySelectorAll('.topbar-wrapper, .opblock-summary, .opblock-section-header')]
    .flatMap(({ children }) => [...children].flatMap((one, index) => [...children].slice(index + 1).map((other) => [one, other])))
    .filter(([one, other]) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    })
    .map((pair) => pair.map(({ outerHTML }) => outerHTML.slice(0, 120)))`);
}
