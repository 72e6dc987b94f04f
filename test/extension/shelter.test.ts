import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { createDatabase, createDatabaseForTest, runSql, type TestDatabase } from '../support/database.ts';
import { startIdentityProvider } from './support/identity-provider.ts';
import {
  type Shelter,
  shelterEnvironment,
  shelterProgram,
  startShelter,
  WEBHOOK_SECRET,
} from './support/shelter.ts';

const calendar = { status: 200 };
const calendarServer = createServer((_request, response) => response.writeHead(calendar.status).end());

let shelter: Shelter;
beforeAll(async () => {
  await once(calendarServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = calendarServer.address() as AddressInfo;
  // The migrations of the package ran in an earlier version of the application.
  const database = await createDatabase();
  shelter = await startShelter(database, {
    ...database.environment,
    BLOCKED_SUBJECTS: 'mallory',
    SLOW_REQUEST_MS: '0',
    CALENDAR_URL: `http://127.0.0.1:${port}/`,
  });
});
afterAll(async () => {
  await shelter.stop();
  calendarServer.close().closeAllConnections();
});

/** Runs a program of the example, or a script in its directory. */
function run(args: string[], { environment }: TestDatabase, more: NodeJS.ProcessEnv = {}, stdin = '') {
  const own = shelterEnvironment('http://127.0.0.1:9/', 'http://127.0.0.1:9/');
  const cwd = inject('shelterDirectory') ?? '';
  return runCommand(process.execPath, args, { PORT: '0', ...own, ...environment, ...more }, stdin, { cwd });
}

const VISIT = { day: '2099-12-24', reason: 'Limps.' };
const TOM = { name: 'Tom', categoryId: 1, shelterTags: ['shy'], shelterMicrochip: '276098102345678' };

test('the tests of the team pass in Vitest and Jest', async () => {
  const database = await createDatabaseForTest({ migrated: false });
  const { DATABASE_URL } = database.environment;
  const environment = { PATH: process.env['PATH'], NODE_ENV: 'test', ...(DATABASE_URL && { DATABASE_URL }) };
  const cwd = inject('shelterDirectory') ?? '';
  for (const script of ['test', 'test:jest']) {
    const outcome = await runCommand('npm', ['run', '--silent', script], environment, '', { cwd });
    expect(outcome, outcome.stdout + outcome.stderr).toMatchObject({ code: 0 });
  }
}, 180_000);

describe('tokens instead of keys', () => {
  // The first request with a token, because the service keeps the keys that it has read.
  test('cause 503 while the keys of the provider are unavailable', async () => {
    shelter.identityProvider.status = 500;
    onTestFinished(() => void (shelter.identityProvider.status = 200));
    expect(await shelter.client.get('/v1/pets')).toMatchObject({
      status: 503,
      body: { code: 'unavailable' },
    });
  });

  const invalid = async (token: string) => {
    const answer = await shelter.client.withKey(token).get('/v1/pets');
    const message = 'The access token is not valid.';
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized', message } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="shelter", error="invalid_token"');
  };

  test.each([
    ['has expired', { exp: 1 }],
    ['is of another issuer', { iss: 'https://elsewhere.example' }],
    ['is for another audience', { aud: 'bank' }],
    ['names no organisation', { org: undefined }],
    ['never expires', { exp: undefined }],
  ])('are refused when one %s', async (_why, claims) => {
    await invalid(shelter.identityProvider.sign(claims));
  });

  test('are refused if another key, or none, has signed them', async () => {
    const other = await startIdentityProvider();
    onTestFinished(() => other.stop());
    const [, payload = ''] = shelter.identityProvider.sign().split('.');
    await invalid(other.sign());
    await invalid(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`);
    await invalid('ps_000000000000000000000000000000000');
  });

  test('belong to the account of their organisation', async () => {
    const [cats, dogs] = [await shelter.clientOf('cats'), await shelter.clientOf('dogs')];
    const { body: pet } = await cats.post('/v1/pets', TOM);
    await cats.post('/v1/store/orders', { petId: (pet as { id: bigint }).id });
    expect((await cats.get('/v1/store/orders')).body).toHaveLength(1);
    expect((await dogs.get('/v1/store/orders')).body).toEqual([]);
  });

  test('replace the operations on keys, and their pages', async () => {
    for (const path of ['/keys', '/accounts', '/console', '/openapi-accounts.json']) {
      expect((await fetch(shelter.url + path)).status).toBe(404);
    }
    expect(await (await fetch(`${shelter.url}/docs`)).text()).not.toContain('console');
    expect(shelter.stdout()).not.toContain('API key');
  });
});

test('the pages have the title of the team, and the name of its token', async () => {
  const read = async (path: string) => (await fetch(shelter.url + path)).text();
  expect(await read('/docs')).toContain('<title>Explorer · City shelter</title>');
  for (const path of ['/openapi.json', '/docs/guide', '/docs/errors']) {
    expect(await read(path)).not.toMatch(/API.key|\{credential\}/i);
  }
});

test('a filter of the team sees the error that the service has mapped', async () => {
  const { body } = await shelter.client.post('/v1/pets', TOM);
  const visit = { petId: (body as { id: bigint }).id, ...VISIT };
  await shelter.client.post('/v1/visits', visit);
  expect((await shelter.client.post('/v1/visits', visit)).status).toBe(409);
  await expect.poll(() => shelter.stdout()).toContain('conflict: VisitTaken');
});

test('a blocked caller gets 403, and slow handlers are in the log', async () => {
  const headers = { authorization: `Bearer ${shelter.identityProvider.sign({ sub: 'mallory' })}` };
  const answer = await fetch(`${shelter.url}/v1/pets`, { headers });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'forbidden' }]);
  await shelter.client.get('/v1/pets');
  await expect.poll(() => shelter.stdout()).toMatch(/listPets took \d+ ms/);
});

test('a readiness indicator of the team is checked with those of the service', async () => {
  const ready = () => shelter.client.withKey(undefined).get('/health/ready');
  expect(await ready()).toMatchObject({ status: 200 });
  calendar.status = 500;
  const message = 'The service is not ready. These checks fail: calendar.';
  expect(await ready()).toMatchObject({ status: 503, body: { code: 'unavailable', message } });
  await expect.poll(() => shelter.stdout()).toContain('the calendar answers with 500');
  calendar.status = 200;
});

describe('commands', () => {
  test('run the migrations of the team, and start no jobs', async () => {
    const database = await createDatabaseForTest({ migrated: false });
    const cli = (args: string[], stdin = '') => run([shelterProgram('cli.js'), ...args], database, {}, stdin);
    const migrated = await cli(['migrate']);
    expect(migrated.stdout).toContain('ran CreateShelter1796000000000\n');
    const rows = [
      'name,categoryId,shelterTags,shelterMicrochip',
      'Tom,1,"[""shy""]",276098102345678',
      'Kitty,1,[1],276098102345679',
    ];
    expect(await cli(['import', '-'], rows.join('\n'))).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('imported 1, refused 1, in ') as string,
      stderr: expect.stringContaining('line 3: each value in shelterTags must be a string') as string,
    });
    const array = '[{"name":"Ann","categoryId":1,"shelterTags":["calm"]}]';
    expect(await cli(['import', '-'], array)).toMatchObject({ code: 0 });
    expect(await runSql(database, 'SELECT shelter_tags, shelter_microchip FROM pet')).toEqual([
      { shelter_tags: ['shy'], shelter_microchip: '276098102345678' },
      { shelter_tags: ['calm'], shelter_microchip: null },
    ]);
    expect(await cli(['visits'])).toMatchObject({ code: 0, stdout: '' });
    expect(await cli(['keys', 'create', '--account', 'cats'])).toMatchObject({
      code: 1,
      stderr: 'shelter: Another system creates and revokes the keys of this service.\n',
    });
  });
});

test('a start names each variable of the team that is missing or wrong in a line', async () => {
  const database = await createDatabaseForTest();
  const variables = { WEBHOOK_URL: 'here', TOKEN_ISSUER: '' };
  const outcome = await run([shelterProgram('main.js')], database, variables);
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toMatch(/^shelter: TOKEN_ISSUER: is required\nWEBHOOK_URL: [^\n]*\n$/);
});

describe('the webhook', () => {
  test('gets each message with a signature, and again if it fails', async () => {
    shelter.receiver.status = 500;
    const { body } = await shelter.client.post('/v1/messages', { message: 'héllo 👋' });
    const { id } = body as { id: string };
    const received = () => shelter.receiver.received.filter(({ headers }) => headers['webhook-id'] === id);
    await expect.poll(() => received().length).toBe(1);
    shelter.receiver.status = 204;
    await expect.poll(() => received().length).toBe(2);
    for (const { headers, body: sent } of received()) {
      const signed = `${id}.${String(headers['webhook-timestamp'])}.${sent}`;
      const secret = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', secret).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    }
  });

  // The last test, because the embedded database has one process.
  test('parks a message that the receiver rejects', async () => {
    const before = shelter.receiver.received.length;
    shelter.receiver.status = 410;
    const { body } = await shelter.client.post('/v1/messages', { message: 'bye' });
    await expect.poll(() => shelter.receiver.received.length).toBe(before + 1);
    await shelter.end();
    const { stdout } = await run([shelterProgram('cli.js'), 'messages', 'parked'], shelter.database);
    expect(JSON.parse(stdout)).toMatchObject({ id: (body as { id: string }).id, attempts: 1 });
  });
});
