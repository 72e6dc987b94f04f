import { existsSync } from 'node:fs';

import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { type Service, startService } from './support/service.ts';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const hasChromium = existsSync(CHROMIUM);

/** What is true of int64 must be true of what the page sends and shows: 2^63 - 1. */
const LARGEST = '9223372036854775807';

let service: Service;
let browser: Browser | undefined;
let page: Page;

/** Where the page asked for something, and what it complained of. */
const hosts = new Set<string>();
const complaints: string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  service = await startService();
  browser = await chromium.launch({
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
  page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:') hosts.add(host);
  });
  page.on('console', (message) => {
    // That a call was refused is no complaint of the page.
    if (message.location().url.startsWith(`${service.url}/v1/`)) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${service.url}/docs`);
});

beforeEach(({ skip }) =>
  skip(!hasChromium, `there is no Chromium at ${CHROMIUM}; CHROMIUM_PATH can name it`),
);

afterAll(async () => {
  await browser?.close();
  if (hasChromium) await service.stop();
});

test('without a key, a call is answered with 401', async () => {
  const operation = await open('Pets', 'listPets');
  expect(await execute(operation)).toBe('401');
});

test('a key that is entered once stays over a reload', async () => {
  await page.locator('.auth-wrapper .authorize').click();
  await page.locator('.auth-container input').fill(service.client.key ?? '');
  await page.locator('.auth-btn-wrapper .authorize').click();
  await page.locator('.auth-btn-wrapper .btn-done').click();
  await page.reload();
  await page.locator('.auth-wrapper .authorize.locked').waitFor();
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

test('an id beyond 2^53 is sent as it was entered', async () => {
  const operation = await open('Pets', 'getPet');
  await operation.locator('tr[data-param-name="petId"] input').fill(LARGEST);
  expect(await execute(operation)).toBe('404');
  expect(await operation.innerText()).toContain(`There is no animal with the id ${LARGEST}.`);
  expect(await operation.innerText()).not.toContain('9223372036854776000');
});

test('how settled an operation is, is shown', async () => {
  const operation = await open('Messages', 'createMessage');
  expect(await operation.innerText()).toMatch(/x-stability\s+"?beta/);
});

test('the page asks nobody but this service, and has nothing to complain of', () => {
  expect([...hosts]).toEqual([new URL(service.url).host]);
  expect(complaints).toEqual([]);
});

async function open(tag: string, operationId: string): Promise<Locator> {
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.waitFor();
  const body = operation.locator('.opblock-body');
  if (!(await body.isVisible())) await operation.locator('.opblock-summary-control').click();
  await body.waitFor();
  return operation;
}

/** Presses Execute, and returns the status of the answer once the page shows it. */
async function execute(operation: Locator): Promise<string> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().startsWith(`${service.url}/v1/`)),
    operation.locator('button.execute').click(),
  ]);
  const status = String(answer.status());
  const shown = operation.locator('.live-responses-table .response-col_status', { hasText: status });
  await shown.waitFor();
  return status;
}
