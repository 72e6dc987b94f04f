import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { readConfig } from '#src/config/config';

import { createDatabaseForTest } from '../support/database.ts';
import { failToStart, MAIN, spawnService } from '../support/process.ts';
import { errorOfStart } from '../support/service.ts';

const VARIABLES = [...readFileSync('src/config/config.ts', 'utf8').matchAll(/^ {4}([A-Z][A-Z_]+): /gm)].map(
  ([, name = '']) => name,
);

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('every variable is read, into a setting with its name in camel case', () => {
  const environment = {
    HOST: '0.0.0.0',
    PORT: '8080',
    DATABASE_URL: 'postgresql://user:password@database:5432/store',
    PGSSLROOTCERT: 'package.json',
    DATABASE_REPLICA_URLS: 'postgres://one/store, postgres://user:password@two/store',
    DATABASE_REPLICA_MAX_LAG_MS: '9',
    DATABASE_POOLER: 'transaction',
    DATABASE_POOL_SIZE: '20',
    DATABASE_CONNECT_TIMEOUT_MS: '1',
    DATABASE_START_TIMEOUT_MS: '9',
    DATABASE_QUERY_TIMEOUT_MS: '2',
    DATABASE_LOCK_TIMEOUT_MS: '3',
    DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '4',
    DATA_DIR: '/var/lib/petstore',
    MIGRATE_ON_START: 'false',
    SIGNUP: 'open',
    SIGNUP_LIMIT_PER_HOUR: '6',
    KEY_LIMIT_PER_HOUR: '11',
    SUPPORT_CONTACT: 'support@example.com',
    PUBLIC_URL: 'HTTPS://@API.example.com/v1?',
    STAGING_URL: 'https://staging.example.com/v1',
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    METRICS_HOST: '10.0.0.1',
    METRICS_PORT: '9464',
    SHUTDOWN_TIMEOUT_MS: '5',
    MAX_CONNECTIONS: '100',
    HEADERS_LIMIT_BYTES: '8192',
    BODY_LIMIT_BYTES: '1000',
    HEADERS_TIMEOUT_MS: '6',
    REQUEST_TIMEOUT_MS: '7',
    RESPONSE_STALL_TIMEOUT_MS: '12',
    KEEP_ALIVE_TIMEOUT_MS: '8',
    CORS_ORIGINS: 'https://shop.example, http://localhost:5173',
    RATE_LIMIT_PER_MINUTE: '600',
    TRUST_PROXY: 'loopback, 10.0.0.0/8,::1',
    MESSAGE_WEBHOOK_URL: 'https://receiver.example/hooks',
    MESSAGE_WEBHOOK_SECRET: SECRET,
    MESSAGE_RETENTION_DAYS: '10',
  };
  expect(Object.keys(environment).sort()).toEqual([...VARIABLES].sort());
  const config = readConfig(environment);
  const settings = VARIABLES.map((name) =>
    name.toLowerCase().replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
  );
  expect(Object.keys(config).sort()).toEqual(settings.sort());
  expect(config).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    databaseReplicaUrls: ['postgres://one/store', 'postgres://user:password@two/store'],
    migrateOnStart: false,
    publicUrl: 'https://api.example.com/v1',
    corsOrigins: ['https://shop.example', 'http://localhost:5173'],
    trustProxy: ['loopback', '10.0.0.0/8', '::1'],
  });
  for (const value of Object.values(config)) expect(value).toBeDefined();
});

test('visitors can create accounts by default on the embedded database, and on PostgreSQL if configured', () => {
  const DATABASE_URL = 'postgres://database/store';
  expect(readConfig({ SIGNUP: 'closed' }).signup).toBe('closed');
  expect(readConfig({ DATABASE_URL }).signup).toBe('closed');
  expect(readConfig({ DATABASE_URL, SIGNUP: 'open' }).signup).toBe('open');
});

test('an empty variable counts as not set', () => {
  expect(readConfig(Object.fromEntries(VARIABLES.map((name) => [name, ''])))).toEqual(readConfig({}));
});

/** The variables with a number. Only that of a port may be 0. */
const NUMBERS = VARIABLES.filter((name) => /^MAX_|_(MS|BYTES|SIZE|DAYS|PER_HOUR|PER_MINUTE)$/.test(name));

const WRONG: [variable: string, value: string][] = [
  ...NUMBERS.flatMap((name) => ['0', '1e3', 'never'].map((value): [string, string] => [name, value])),
  ...['-1', '65536', '3000.5', '0x10', '1e3', ' 80', 'http'].map(
    (value) => ['PORT', value] as [string, string],
  ),
  ['DATABASE_URL', 'mysql://user:pa55word@database/store'],
  ['DATABASE_URL', 'user:pa55word@database'],
  ['DATABASE_URL', 'postgres://user:pa55word@one,two/store'],
  ['DATABASE_URL', 'postgres://user:pa55word@one:5432,two:5432/store'],
  ['DATABASE_URL', 'postgres://user:pa55word@database/store?sslrootcert=/absent.pem'],
  ['PGSSLROOTCERT', '/absent.pem'],
  ['DATABASE_REPLICA_URLS', 'postgres://one/store'],
  ['DATABASE_REPLICA_URLS', 'postgres://one/store,mysql://user:pa55word@two/store'],
  ['DATABASE_REPLICA_URLS', 'postgres://one/store,'],
  ['DATABASE_POOLER', 'session'],
  ['DATABASE_POOL_SIZE', '1001'],
  ['DATABASE_LOCK_TIMEOUT_MS', '2147483648'],
  ['MIGRATE_ON_START', 'maybe'],
  ['SIGNUP', 'maybe'],
  ['PUBLIC_URL', 'api.example.com/v1'],
  ['PUBLIC_URL', 'https://api.example.com/v2'],
  ['PUBLIC_URL', 'https://user:pa55word@api.example.com/v1'],
  ['PUBLIC_URL', 'https://api.example.com/v1?a=b'],
  ['STAGING_URL', 'ftp://staging.example.com/v1'],
  ['LOG_LEVEL', 'loud'],
  ['METRICS_PORT', '70000'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['HEADERS_LIMIT_BYTES', '1023'],
  ...['*', 'shop.example', 'https://shop.example/', 'https://shop.example,', 'null', 'file://a'].map(
    (value) => ['CORS_ORIGINS', value] as [string, string],
  ),
  ['MESSAGE_WEBHOOK_URL', 'receiver.example'],
  ['MESSAGE_WEBHOOK_URL', 'https://user:pa55word@receiver.example'],
  ['MESSAGE_WEBHOOK_SECRET', 'pa55word'],
  ['MESSAGE_WEBHOOK_SECRET', 'whsec_pa55word'],
  ...['true', '-1', '10.0.0.0/33', '10.0.0.0/0', '::1/129', '10.0.0', 'proxy.example', '127.0.0.1,'].map(
    (value) => ['TRUST_PROXY', value] as [string, string],
  ),
];

test.each(WRONG)('%s=%s is rejected with one line that names the variable', (variable, value) => {
  let message = '';
  try {
    readConfig({ [variable]: value });
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(new RegExp(`^${variable}: .+$`));
  expect(message).not.toContain('\n');
  expect(message).not.toContain('pa55word');
});

test.each([
  [
    'postgres://user:secret@/store?host=/run/postgresql',
    'postgres://user:secret@/store?host=/run/postgresql',
  ],
  ['postgres://%2Frun%2Fpostgresql/store', 'postgres://%2Frun%2Fpostgresql/store'],
  ['postgres://[::1]:5432/store', 'postgres://[::1]:5432/store'],
  [' postgres://database/store \n', 'postgres://database/store'],
])('DATABASE_URL=%j is accepted', (DATABASE_URL, expected) => {
  expect(readConfig({ DATABASE_URL, DATABASE_REPLICA_URLS: DATABASE_URL })).toMatchObject({
    databaseUrl: expected,
    databaseReplicaUrls: [expected],
  });
});

test('a process that cannot listen on HOST ends with one line that names the variable', async () => {
  const { environment } = await createDatabaseForTest();
  const { code, stderr } = await failToStart({ ...environment, HOST: '192.0.2.1', LOG_LEVEL: 'silent' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^petstore: HOST, PORT: [^\n]+\n$/);
});

test('a start that cannot listen on METRICS_HOST fails with one line that names the variable', async () => {
  const line = await errorOfStart({ METRICS_HOST: '192.0.2.1' });
  expect(line).toMatch(/^METRICS_HOST, METRICS_PORT: [^\n]+$/);
});

test('a process with invalid values ends with a line for each and code 1, and shows no password', async () => {
  const { code, stderr, stdout } = await failToStart({
    PORT: 'http',
    DATABASE_URL: 'mysql://user:pa55word@database/store',
    LOG_LEVEL: 'loud',
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^petstore: PORT: "http" is not a whole number from 0 to 65535\n/);
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => /[A-Z_]+(?=:)/.exec(line)?.[0]),
  ).toEqual(['PORT', 'DATABASE_URL', 'LOG_LEVEL']);
  expect(stderr).not.toContain('pa55word');
});

test('the start says that PGlite is missing, but not if its import fails otherwise', async () => {
  const startFailing = async (code: string) => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(specifier, context, next) {
        if (specifier === '@electric-sql/pglite') throw Object.assign(new Error('no import'), { code: '${code}' });
        return next(specifier, context);
      } });`;
    const argv = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, MAIN];
    const { code: exitCode, stderr } = await spawnService({ DATA_DIR: '/nowhere' }, argv).exit;
    expect(exitCode).toBe(1);
    return stderr;
  };
  const text = 'PGlite is not installed';
  expect(await startFailing('ERR_MODULE_NOT_FOUND')).toMatch(new RegExp(`^petstore: .*${text}.*\\n$`));
  const otherwise = await startFailing('ERR_DLOPEN_FAILED');
  expect(otherwise).toContain('no import');
  expect(otherwise).not.toContain(text);
});

/** Returns the first two columns of the tables of variables on a page. */
const rowsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^\|\s*`([A-Z_]+)`\s*\|\s*(.*?)\s*\|/gm)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );

const [PAGE, README] = ['docs/configuration.md', 'README.md'];

describe.skipIf(!existsSync(PAGE))('the documentation', () => {
  test('lists every variable', () => {
    const names = rowsOf(PAGE).map(([name]) => name);
    expect(names.sort()).toEqual([...VARIABLES].sort());
  });

  test('contains the defaults', () => {
    const defaults = rowsOf(PAGE).map(([name, value]) => [name, /^`(.+?)`/.exec(value)?.[1]]);
    expect(readConfig(Object.fromEntries(defaults) as NodeJS.ProcessEnv)).toEqual(readConfig({}));
  });

  test('repeats rows of that page in the README', () => {
    const documented = Object.fromEntries(rowsOf(PAGE));
    const rows = rowsOf(README);
    expect(rows.map(([name]) => name)).toContain('DATABASE_URL');
    expect(rows.filter(([name, value]) => documented[name] !== value)).toEqual([]);
  });
});
