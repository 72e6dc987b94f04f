import { isIP } from 'node:net';

import { bool, cleanEnv, EnvError, makeExactValidator, makeValidator, str } from 'envalid';

/** What is wrong with the environment: one line a variable, fit to be shown to an operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The settings of one process, read once from the environment. */
export type Config = ReturnType<typeof readConfig>;

/** Injection token of {@link Config}. */
export const CONFIG = Symbol('Config');

/**
 * Reads and checks the environment. A variable that is set to nothing counts as not set.
 *
 * @throws ConfigError naming every variable that is wrong, and why
 */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const env = cleanEnv(
    given,
    {
      HOST: str({ default: '127.0.0.1' }),
      PORT: integer(0, 65_535)({ default: 3000 }),
      DATABASE_URL: postgresUrl({ default: undefined }),
      DATABASE_POOL_SIZE: integer(1, 1000)({ default: 10 }),
      DATABASE_CONNECT_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 3000 }),
      DATABASE_QUERY_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 5000 }),
      DATABASE_LOCK_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 2000 }),
      DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 10_000 }),
      DATA_DIR: str({ default: './data' }),
      MIGRATE_ON_START: bool({ default: true }),
      SIGNUP: str({ choices: ['open', 'closed'], default: undefined }),
      SIGNUP_LIMIT_PER_HOUR: integer(1, 1_000_000_000)({ default: 10 }),
      SUPPORT_CONTACT: str({ default: undefined }),
      PUBLIC_URL: baseUrl({ default: undefined }),
      STAGING_URL: baseUrl({ default: undefined }),
      LOG_LEVEL: str({ choices: LOG_LEVELS, default: 'info' }),
      SHUTDOWN_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 10_000 }),
      RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000_000)({ default: undefined }),
      TRUST_PROXY: proxies({ default: undefined }),
    },
    { reporter: ({ errors }) => throwWhenAny(errors) },
  );
  return {
    host: env.HOST,
    port: env.PORT,
    /** The address of a PostgreSQL; undefined: the embedded database. */
    databaseUrl: env.DATABASE_URL,
    poolSize: env.DATABASE_POOL_SIZE,
    connectTimeoutMs: env.DATABASE_CONNECT_TIMEOUT_MS,
    queryTimeoutMs: env.DATABASE_QUERY_TIMEOUT_MS,
    lockTimeoutMs: env.DATABASE_LOCK_TIMEOUT_MS,
    idleTransactionTimeoutMs: env.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    /** Where the embedded database keeps its files. */
    dataDir: env.DATA_DIR,
    migrateOnStart: env.MIGRATE_ON_START,
    /** Whether anyone may make an account. */
    signup: env.SIGNUP ?? (env.DATABASE_URL === undefined ? 'open' : 'closed'),
    /** How often an address may try to make an account in an hour. */
    signupLimitPerHour: env.SIGNUP_LIMIT_PER_HOUR,
    /** Whom to ask for an account. */
    supportContact: env.SUPPORT_CONTACT,
    publicUrl: env.PUBLIC_URL,
    stagingUrl: env.STAGING_URL,
    logLevel: env.LOG_LEVEL,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    /** What a key may ask in a minute, and how often an address may send a wrong one; undefined: no limit. */
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    /** Whose `X-Forwarded-For` is believed, as Express has it: addresses, or a number of proxies; undefined: nobody's. */
    trustProxy: env.TRUST_PROXY,
  } as const;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The longest time a timer of Node can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function integer(minimum: number, maximum: number) {
  return makeValidator<number>((input) => {
    const value = /^\d+$/.test(input) ? Number(input) : NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new EnvError(`"${input}" is not a whole number from ${minimum} to ${maximum}`);
  });
}

// A password stands in such an address, so the message does not repeat it.
const postgresUrl = makeValidator<string>((input) => {
  if (/^postgres(ql)?:$/.test(parseUrl(input)?.protocol ?? '')) return input;
  throw new EnvError('not an address of the form postgres://user:password@host:port/database');
});

const baseUrl = makeValidator<string>((input) => {
  const url = parseUrl(input);
  if (url && /^https?:$/.test(url.protocol) && url.pathname.endsWith('/v1') && !url.search && !url.hash)
    return input;
  throw new EnvError(`"${input}" is not an http or https address that ends in /v1`);
});

/** Networks that Express knows by a name. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

const proxies = makeExactValidator<number | string[]>((input) => {
  if (/^\d{1,3}$/.test(input)) return Number(input);
  const networks = input.split(',').map((network) => network.trim());
  if (networks.every((network) => NAMED_NETWORKS.includes(network) || isNetwork(network))) return networks;
  throw new EnvError(`"${input}" is neither a number of proxies nor a list of addresses and networks`);
});

function isNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

function parseUrl(input: string): URL | null {
  return URL.parse(input);
}

function throwWhenAny(errors: Partial<Record<string, Error>>): void {
  const lines = Object.entries(errors).map(([name, error]) => `${name}: ${error?.message ?? 'invalid'}`);
  if (lines.length > 0) throw new ConfigError(lines.join('\n'));
}
