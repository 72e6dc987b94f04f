import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { DataSource } from 'typeorm';
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
import { type Service, startService, startServiceForTest } from '../support/service.ts';

/** The directory of the pictures in the documentation. If it is set, the tests update the pictures. */
const SCREENSHOTS = process.env['SCREENSHOTS'];

// A test has many steps, and the machine may be slow.
vi.setConfig({ testTimeout: 180_000 });

let service: Service;
let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  service = await startService();
  // Numbers of JavaScript would round the ids of the keys.
  await service.app
    .get(DataSource)
    .query(`SELECT setval(pg_get_serial_sequence('api_key', 'id'), 1152921504606846976)`);
  browser = await launchChromium();
});
beforeEach(({ skip }) => skip(!hasChromium, NO_CHROMIUM));
afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  await service.stop();
});

/** Opens a browser for the running test, and expects no errors in its console at the end. */
async function arrive(options?: BrowserContextOptions): Promise<Visitor> {
  const visitor = await visit(browser, options);
  onTestFinished(async () => {
    await visitor.leave();
    expect(visitor.complaints).toEqual([]);
    expect([...visitor.hosts]).toHaveLength(1);
  });
  return visitor;
}

/** Creates an account, and returns its key. The page continues to read the account and its keys. */
async function createAccount(page: Page, name = 'Kitty Corner'): Promise<string> {
  // Before its script has run, the page would send the form itself.
  await page.locator('#status:empty').waitFor({ state: 'attached' });
  await page.getByLabel('Account name').fill(name);
  // As a double click does, before the service answers.
  await page.evaluate(`for (const _ of [1, 2]) document.querySelector('#sign-up button').click()`);
  const shown = page.locator('#new-key-text');
  await shown.waitFor();
  return shown.innerText();
}

/** Creates an account, and waits until the page shows it. Returns the key. */
async function signUp(page: Page, name?: string): Promise<string> {
  const key = await createAccount(page, name);
  await keyRow(page, 'first key').waitFor();
  return key;
}

async function openExplorer(page: Page): Promise<Page> {
  const [explorer] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open the explorer' }).click(),
  ]);
  await explorer.locator('.auth-wrapper .authorize.locked').waitFor();
  return explorer;
}

/** Opens an operation of the explorer, calls it without changes, and returns the status. */
async function call(explorer: Page, id: string): Promise<number> {
  const operation = explorer.locator(`#operations-${id}`);
  const execute = operation.locator('button.execute');
  if (!(await execute.isVisible())) await operation.locator('.opblock-summary-control').click();
  const [answer] = await Promise.all([
    explorer.waitForResponse((response) => response.url().includes('/v1/')),
    execute.click(),
  ]);
  return answer.status();
}

const UNAVAILABLE = { status: 503, json: { code: 'unavailable', message: 'Try again later.', status: 503 } };

/** The error that the browser shows at a field. */
const errorOf = (page: Page, id: string) =>
  page.evaluate(`document.getElementById('${id}').validationMessage`);

const keyRow = (page: Page, label: string): Locator => page.getByRole('row').filter({ hasText: label });

/** Runs an action that leads to a question, and answers the question by the keyboard. Returns the question. */
async function answer(page: Page, action: () => Promise<void>, isConfirmed: boolean): Promise<string> {
  await action();
  const dialog = page.getByRole('dialog');
  const question = await dialog.locator('p').innerText();
  await dialog.getByRole('button').nth(Number(isConfirmed)).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  return question;
}

/** Presses the button that revokes a key, and answers the question. Returns the question. */
function revoke(page: Page, label: string, isConfirmed = true): Promise<string> {
  const button = keyRow(page, label).getByRole('button', { name: 'Revoke' });
  return answer(page, () => button.click(), isConfirmed);
}

async function createKey(page: Page, label: string): Promise<string> {
  await page.getByLabel('Label of another key').fill(label);
  await page.getByRole('button', { name: 'Create a key' }).click();
  await keyRow(page, label).waitFor();
  return page.locator('#new-key-text').innerText();
}

/** The buttons that the status covers. */
const COVERED = `[...document.querySelectorAll('button')].filter((button) => {
  const [{ left, top, right, bottom }, status] = [button, document.getElementById('status')].map((each) => each.getBoundingClientRect());
  return left < status.right && right > status.left && top < status.bottom && bottom > status.top;
}).map(({ textContent }) => textContent)`;

/** The buttons and links that look like the action of the page. */
const PRIMARY = `[...document.querySelectorAll('button, .button')]
  .filter((button) => button.checkVisibility() && getComputedStyle(button).backgroundColor !== 'rgba(0, 0, 0, 0)')
  .map(({ textContent }) => textContent)`;

/** The blocks of code whose text lies under the button that copies it. */
const CODE_UNDER_BUTTONS = `[...document.querySelectorAll('.copy')].filter((button) => {
  const range = new Range();
  range.selectNodeContents(button.nextElementSibling.querySelector('code'));
  return range.getBoundingClientRect().top < button.getBoundingClientRect().bottom;
}).map(({ nextElementSibling }) => nextElementSibling.textContent)`;

test('a newcomer gets a key, which is in no URL, cookie or permanent storage, copies it, calls, and revokes it', async () => {
  const { page } = await arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
  const addresses: string[] = [];
  page.context().on('request', (request) => addresses.push(request.url()));
  await page.goto(`${service.url}/docs`);
  await page.getByRole('link', { name: 'Console', exact: true }).click();
  const key = await signUp(page);
  expect(addresses.filter((address) => address.endsWith('/accounts'))).toHaveLength(1);
  expect(key).toMatch(/^ps_\w{33}$/);
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/console.png`, fullPage: true });

  const clipboard = () => page.evaluate('navigator.clipboard.readText()');
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await clipboard()).toBe(key);
  expect(await page.evaluate(COVERED)).toEqual([]);
  await page.getByRole('button', { name: 'Copy the curl command' }).click();
  await expect.poll(clipboard).toBe(`curl -H 'Authorization: Bearer ${key}' ${service.url}/v1/pets`);
  expect(await page.locator('#curl').innerText()).not.toContain(key);

  const explorer = await openExplorer(page);
  expect(explorer.url()).toBe(`${service.url}/docs`);
  expect(await call(explorer, 'Pets-listPets')).toBe(200);
  for (const tab of [page, explorer]) {
    const stored = 'JSON.stringify([location.href, history.state, document.cookie, {...localStorage}])';
    expect(await tab.evaluate(stored)).not.toContain(key);
  }
  expect(addresses.join()).not.toContain(key);
  await page.reload();
  await revoke(page, 'first key');
  await page.getByRole('heading', { name: 'Get a key, make a call' }).waitFor();
  expect(await call(explorer, 'Pets-listPets')).toBe(401);
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  expect(await page.content()).not.toContain(key);
});

test('keys can be created, listed and revoked, with a warning before the last one, and a key that is gone leads to the sign-in', async () => {
  const { page } = await arrive();
  await page.goto(`${service.url}/console`);
  const first = await signUp(page);
  const laptop = await createKey(page, 'laptop');
  expect(laptop).not.toBe(first);
  // The call beside a new key has that key.
  expect(await page.locator('#curl').innerText()).toContain(laptop.slice(0, 9));
  expect(await keyRow(page, 'laptop').innerText()).toContain(laptop.slice(0, 9));
  expect(await keyRow(page, 'laptop').innerText()).toContain('never');
  expect(await keyRow(page, 'first key').innerText()).toContain('signed in');

  expect(await revoke(page, 'laptop')).toMatch(/^Revoke “laptop”\? Programs that use it lose access\./);
  await page.getByText('You have revoked “laptop”.').waitFor();
  expect(await keyRow(page, 'laptop').count()).toBe(0);
  expect((await service.client.withKey(laptop).get('/keys')).status).toBe(401);

  const desktop = await createKey(page, 'desktop');
  const own = (await service.client.withKey(desktop).get('/keys')).body as { id: bigint; label: string }[];
  const { id } = own.find(({ label }) => label === 'desktop') ?? {};
  await service.client.withKey(first).send('DELETE', `/keys/${id}`);
  expect(await revoke(page, 'first key', false)).toMatch(/the last one: you lose access to the account/);
  const [last] = (await service.client.withKey(first).get('/keys')).body as { id: bigint }[];
  await service.client.withKey(first).send('DELETE', `/keys/${last?.id}`);
  await page.getByLabel('Label of another key').fill('tablet');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('This key was revoked.').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await page.getByRole('heading', { name: 'Get a key, make a call' }).waitFor();
});

test('a new key is shown even if the page cannot read the account or its keys', async () => {
  const { page } = await arrive();
  await page.goto(`${service.url}/console`);
  await page.route('**/account', (route) => route.fulfill(UNAVAILABLE));
  expect(await createAccount(page)).toMatch(/^ps_/);
  await page.getByText('Try again later.').waitFor();
});

test.each(['no JavaScript', 'session.js'])(
  'a visitor whose browser cannot load the console (%s) reads what to do',
  async (lost) => {
    const visitor = await visit(browser, { javaScriptEnabled: lost !== 'no JavaScript' });
    onTestFinished(() => visitor.leave());
    await visitor.page.route(`**/${lost}`, (route) => route.abort());
    await visitor.page.goto(`${service.url}/console`);
    await visitor.page.getByText('This page requires JavaScript.').waitFor();
  },
);

test('the contents of a long page stay visible, and the buttons to copy cover no code', async () => {
  const { page } = await arrive();
  await page.goto(`${service.url}/docs/guide`);
  await page.locator('.copy').first().waitFor();
  for (const width of [1280, 768, 375]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(CODE_UNDER_BUTTONS)).toEqual([]);
    await page.evaluate('scrollTo({ top: document.body.scrollHeight / 2, behavior: "instant" })');
    const { y = -1 } = (await page.getByRole('navigation', { name: 'Sections' }).boundingBox()) ?? {};
    // On narrow screens, they stand above the text.
    expect(y >= 0).toBe(width === 1280);
  }
});

test('a visitor signs in and out, and sees an error at the field if the key is invalid', async () => {
  const { page } = await arrive();
  await page.goto(`${service.url}/console`);
  const signIn = async (key: string) => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await signIn('kitty');
  expect(await errorOf(page, 'key')).toBe('Please match the requested format.');
  await signIn('ps_000000000000000000000000000000000');
  await expect.poll(() => errorOf(page, 'key')).toBe('The API key is not valid.');
  await page.route('**/account', (route) => route.fulfill(UNAVAILABLE), { times: 1 });
  await signIn(` ${service.client.key ?? ''}`);
  await expect.poll(() => errorOf(page, 'key')).toBe('Try again later.');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await page.getByText('Account test, signed in with').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Signed out.').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('if the operator creates the accounts, the page shows the contact', async () => {
  const closed = await startServiceForTest({ SIGNUP: 'closed', SUPPORT_CONTACT: 'pets@example.com' });
  const { page } = await arrive();
  await page.goto(`${closed.url}/console`);
  await page.getByText('Ask pets@example.com for an account').waitFor();
  expect(await page.getByLabel('Account name').isVisible()).toBe(false);
  expect(await page.locator('main').innerText()).not.toContain('Create an account');
});

test('all actions work with the keyboard', async () => {
  const { page } = await arrive();
  await page.goto(`${service.url}/console`);
  await page.getByLabel('Account name').waitFor();
  const focused = () => page.evaluate(`document.activeElement.innerText || document.activeElement.id`);
  /** Presses Tab until the element with the name has the focus. */
  const tabTo = async (name: string) => {
    const seen: unknown[] = [];
    while ((await focused()) !== name) {
      expect(seen.length, `${name} is reached by Tab, after ${seen.join(', ')}`).toBeLessThan(30);
      await page.keyboard.press('Tab');
      seen.push(await focused());
    }
  };
  await tabTo('name');
  await page.keyboard.press('Enter');
  await expect.poll(() => errorOf(page, 'name')).toBe('Please fill out this field.');
  expect(await focused()).toBe('name');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await keyRow(page, 'first key').waitFor();
  await expect.poll(focused).toBe('Copy your new key now');
  await tabTo('label');
  await page.keyboard.type('second');
  await page.keyboard.press('Enter');
  await keyRow(page, 'second').waitFor();
  await expect.poll(focused).toBe('Copy your new key now');
  await tabTo('Revoke');
  await page.keyboard.press('Tab');
  await answer(page, () => page.keyboard.press('Enter'), false);
  expect(await keyRow(page, 'second').count()).toBe(1);
  expect(await focused()).toBe('Revoke');
  await answer(page, () => page.keyboard.press('Enter'), true);
  await expect.poll(focused).toBe('Keys');
  expect(await keyRow(page, 'second').count()).toBe(0);
});

test.each([
  ['light', 320],
  ['dark', 1440],
] as const)(
  'in %s colours, %i pixels wide, axe finds no problems of the pages, nothing is cut off, the focus is visible, and one button is primary',
  async (colorScheme, width) => {
    const { page, complaints } = await arrive({ colorScheme, viewport: { width, height: 800 } });
    const expectNoProblems = async () => {
      expect(await violations(page)).toEqual([]);
      expect(await cutOff(page)).toEqual([]);
      expect(await hiddenFocus(page)).toEqual([]);
    };
    await page.goto(`${service.url}/console`);
    await page.getByRole('button', { name: 'Create an account' }).click();
    expect(await page.evaluate(PRIMARY)).toEqual(['Create an account']);
    await expectNoProblems();
    await signUp(page, 'A name that is as long as a name of an account can be, and wide: W');
    await createKey(page, 'x'.repeat(64));
    expect(await page.evaluate(PRIMARY)).toEqual(['Open the explorer']);
    await expectNoProblems();
    for (const path of ['docs/guide', 'nothing/here']) {
      await page.goto(`${service.url}/${path}`);
      await expectNoProblems();
    }
    expect(complaints.splice(0).join()).toMatch(/^[^,]*404[^,]*$/);
  },
);

test.runIf(SCREENSHOTS)('a picture of the explorer, for the README', async () => {
  const { page } = await arrive({ viewport: { width: 1280, height: 780 } });
  await page.goto(`${service.url}/docs`);
  await page.locator('#operations-Messages-createMessage').waitFor();
  await page.evaluate(`document.querySelector('.access').scrollIntoView({ behavior: 'instant' })`);
  await page.screenshot({ path: `${SCREENSHOTS ?? ''}/explorer.png` });
});
