import { createHmac } from 'node:crypto';

import { SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import type { OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { dataSourceOptions, openDataSource } from '#src/database/data-source';

import { hasChromium, launchChromium, visit } from '../support/browser.ts';
import type { Answer } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startIdentityProvider } from './support/identity-provider.ts';
import { type Shop, shopEnvironment, shopProgram, startShop, WEBHOOK_SECRET } from './support/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop(...(await freshDatabase()));
});
afterAll(() => shop.stop());

async function freshDatabase(): Promise<[TestDatabase, NodeJS.ProcessEnv]> {
  const database = await createDatabase({ migrated: false });
  return [database, database.environment];
}

async function startShopForTest(environment: NodeJS.ProcessEnv = {}): Promise<Shop> {
  const [database, given] = await freshDatabase();
  const own = await startShop(database, { ...given, ...environment });
  onTestFinished(() => own.stop());
  return own;
}

/** Reads the database. The embedded database is available only after the shop has ended. */
async function read<Row>({ environment }: TestDatabase, sql: string): Promise<Row[]> {
  const dataSource = await openDataSource({
    ...dataSourceOptions(readConfig(environment)),
    migrationsRun: false,
  });
  try {
    return await dataSource.query<Row[]>(sql);
  } finally {
    await dataSource.destroy();
  }
}

describe('an additional feature', () => {
  test('adds and lists items, page by page', async () => {
    for (const name of ['Cats', 'Dogs', 'Fish']) {
      expect(await shop.client.post('/v1/categories', { name })).toMatchObject({
        status: 201,
        body: { name },
      });
    }
    const first = await shop.client.get('/v1/categories?limit=2');
    expect(first).toMatchObject({ status: 200, body: [{ name: 'Cats' }, { name: 'Dogs' }] });
    const [, next] = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    expect(await shop.client.get(next ?? '')).toMatchObject({ status: 200, body: [{ name: 'Fish' }] });
  });

  test('requires a key, validates bodies, and has Error bodies', async () => {
    expect((await shop.client.withKey(undefined).get('/v1/categories')).status).toBe(401);
    expect((await shop.client.post('/v1/categories', { name: '' })).body).toMatchObject({
      code: 'invalid_request',
    });
    await shop.client.post('/v1/categories', { name: 'Birds' });
    expect(await shop.client.post('/v1/categories', { name: 'Birds' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: 'There is a category with the name Birds.' },
    });
    expect((await shop.client.send('PUT', '/v1/categories')).headers.get('allow')).toBe('GET, HEAD, POST');
  });

  test('runs a repeated request with an Idempotency-Key once', async () => {
    const send = () =>
      shop.client.post('/v1/categories', { name: 'Snakes' }, { headers: { 'Idempotency-Key': 'one' } });
    const [first, second] = [await send(), await send()];
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  test('is in the document, with its stability and its tag', async () => {
    const document = (await (await fetch(`${shop.url}/openapi.json`)).json()) as OpenAPIObject;
    expect(document.paths['/categories']).toMatchObject({
      get: {
        operationId: 'listCategories',
        summary: 'List the categories',
        'x-stability': 'beta',
        tags: ['Categories'],
      },
      post: { operationId: 'createCategory', 'x-stability': 'experimental' },
    });
    expect(document.tags).toContainEqual({
      name: 'Categories',
      description: 'Categories of animals.',
    });
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/pets', '/pets/{petId}', '/store/orders', '/messages']),
    );
  });
});

describe('tokens instead of keys', () => {
  const invalid = async (token: string) => {
    const answer = await shop.client.withKey(token).get('/v1/pets');
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="petstore", error="invalid_token"');
  };

  test('are accepted until they expire', async () => {
    expect((await shop.client.get('/v1/pets')).status).toBe(200);
  });

  test.each([
    ['has expired', { exp: 1 }],
    ['is of another issuer', { iss: 'https://elsewhere.example' }],
    ['is for another audience', { aud: 'bank' }],
    ['names no organisation', { org: undefined }],
    ['has no subject', { sub: undefined }],
    ['never expires', { exp: undefined }],
  ])('are refused when one %s', async (_why, claims) => {
    await invalid(await shop.identityProvider.sign(claims));
  });

  test('are rejected if another key, or none, has signed them', async () => {
    const other = await startIdentityProvider();
    onTestFinished(() => other.stop());
    const token = await shop.identityProvider.sign({});
    const [header = '', payload = '', signature = ''] = token.split('.');
    await invalid(await other.sign({}));
    await invalid(`${header}.${payload}.`);
    await invalid(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`);
    await invalid(`${header}.${payload}.${signature.slice(0, -4)}AAAA`);
    await invalid(
      await new SignJWT({ sub: 'till', org: 'test' })
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode('a secret that anyone may know')),
    );
    await invalid('ps_000000000000000000000000000000000');
    await invalid('x');
  });

  test('belong to the account of their organisation', async () => {
    const [cats, dogs] = [await shop.clientOf('cats'), await shop.clientOf('dogs')];
    const { body: pet } = await cats.post('/v1/pets', { name: 'Tom', categoryId: 1 });
    await cats.post('/v1/store/orders', { petId: (pet as { id: bigint }).id });
    expect((await cats.get('/v1/store/orders')).body).toHaveLength(1);
    expect((await dogs.get('/v1/store/orders')).body).toEqual([]);
    const later = await shop.clientOf('cats');
    expect((await later.get('/v1/store/orders')).body).toHaveLength(1);
  });

  test('cause 503 while the keys of the provider are unavailable', async () => {
    const own = await startShopForTest({ JWKS_URL: 'http://127.0.0.1:9/jwks' });
    expect(await own.client.get('/v1/pets')).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  test('replace the operations on keys', async () => {
    for (const path of ['/keys', '/accounts', '/console', '/openapi-accounts.json']) {
      expect((await fetch(shop.url + path)).status).toBe(404);
    }
    const page = await fetch(`${shop.url}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).not.toContain('console');
    const document = (await (await fetch(`${shop.url}/openapi.json`)).json()) as OpenAPIObject;
    expect(document.info.description).toContain("access token of the company's identity provider");
    expect(document.info.description).not.toMatch(/\/console|\/accounts|ps_/);
    expect(shop.stdout()).not.toContain('API key');
  });
});

test.runIf(hasChromium)('the page of the document offers what there is, and nothing else', async () => {
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const { page, complaints } = await visit(browser);
  await page.goto(`${shop.url}/docs`);
  await page.getByText('List the categories').waitFor();
  const pages = page.getByRole('navigation', { name: 'Pages' });
  expect(await pages.getByRole('link').allInnerTexts()).not.toContain('Console');
  expect(await page.getByText('Categories of animals.').count()).toBe(1);
  expect(complaints).toEqual([]);
});

describe('the audit trail', () => {
  interface Entry {
    name: string;
    account: string | null;
    action: string;
  }
  const ENTRIES = `SELECT pet.name, account.name AS account, action FROM audit_entry
                   JOIN pet ON pet.id = pet_id LEFT JOIN account ON account.id = account_id ORDER BY audit_entry.id`;

  test('has an entry for each added animal with the account, and none for a rejected animal', async () => {
    const own = await startShopForTest();
    const cats = await own.clientOf('cats');
    const add = (name: string, headers: Record<string, string> = {}): Promise<Answer> =>
      cats.post('/v1/pets', { name, categoryId: 1 }, { headers });
    await add('Tom');
    for (let i = 0; i < 2; i++) await add('Kitty', { 'Idempotency-Key': 'one' });
    await cats.post('/v1/pets', { name: 5 });
    await (await own.clientOf('dogs')).post('/v1/pets', { name: 'Rex', categoryId: 1 });
    await own.end();
    expect(await read<Entry>(own.database, ENTRIES)).toEqual([
      { name: 'Tom', account: 'org:cats', action: 'added' },
      { name: 'Kitty', account: 'org:cats', action: 'added' },
      { name: 'Rex', account: 'org:dogs', action: 'added' },
    ]);
  });

  test('is written by the operator’s commands, which also create its table', async () => {
    const [database, environment] = await freshDatabase();
    onTestFinished(() => database.drop());
    const own = { ...shopEnvironment('http://127.0.0.1:9/', 'http://127.0.0.1:9/'), ...environment };
    const command = (args: string[], stdin = '') =>
      runCommand(process.execPath, [shopProgram('cli.js'), ...args], own, stdin);
    const { stdout } = await command(['migrate']);
    expect(stdout).toContain('ran CreateCategories1795300000000\nran CreateAuditTrail1795300000001\n');
    expect(await command(['keys', 'create', '--account', 'cats'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'petstore: Another system creates and revokes the keys of this service.\n',
    });
    const imported = await command(['import', '-'], 'name,categoryId\nTom,1\nRex,2\n');
    expect(imported).toMatchObject({ code: 0 });
    expect(await read<Entry>(database, ENTRIES)).toEqual([
      { name: 'Tom', account: null, action: 'imported' },
      { name: 'Rex', account: null, action: 'imported' },
    ]);
  });
});

describe('the webhook', () => {
  test('gets each message once, with a signature that the receiver can verify', async () => {
    const own = await startShopForTest();
    own.receiver.status = 500;
    const { body } = await own.client.post('/v1/messages', { message: 'héllo 👋' });
    const { id, status } = body as { id: string; status: string };
    expect(status).toBe('queued');
    await expect.poll(() => own.receiver.received.length).toBe(1);
    own.receiver.status = 204;
    // The first attempt was rejected, and the second one has the same id.
    await expect.poll(() => own.receiver.received.length).toBe(2);
    for (const { headers, body: sent } of own.receiver.received) {
      expect(headers['webhook-id']).toBe(id);
      const signed = `${id}.${String(headers['webhook-timestamp'])}.${sent}`;
      const secret = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', secret).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
      expect(new Webhook(WEBHOOK_SECRET).verify(sent, headers as Record<string, string>)).toMatchObject({
        type: 'message.queued',
        data: { id, message: 'héllo 👋' },
      });
      expect(() =>
        new Webhook(WEBHOOK_SECRET).verify(`${sent} `, headers as Record<string, string>),
      ).toThrow();
    }
    await own.end();
    const sql = 'SELECT status, attempts FROM message WHERE delivered_at IS NOT NULL';
    expect(await read(own.database, sql)).toEqual([{ status: 'queued', attempts: 2 }]);
  });
});
