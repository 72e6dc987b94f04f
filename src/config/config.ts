import camelcaseKeys from 'camelcase-keys';
import { bool, type CleanedEnv, cleanEnv, EnvMissingError, str, type ValidatorSpec } from 'envalid';

import { BODY_LIMIT_BYTES } from '../limits.js';
import { ConfigError } from './config.errors.js';
import {
  baseUrl,
  httpUrl,
  integer,
  MAX_TIMER_MS,
  origins,
  postgresUrl,
  postgresUrls,
  proxies,
  textFile,
  webhookSecret,
} from './config.validators.js';

/** The configuration of a process, read once from the environment. */
export type Config = ReturnType<typeof readConfig>;

export const CONFIG = Symbol('Config');

/**
 * Reads variables and validates them with envalid. An empty variable counts as absent.
 *
 * @throws ConfigError that names each invalid variable, and why
 */
export function readEnvironment<Validators extends Record<string, ValidatorSpec<unknown>>>(
  environment: NodeJS.ProcessEnv,
  validators: Validators,
): CleanedEnv<Validators> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  // The object of envalid throws for properties that it lacks, and Nest looks for some.
  return { ...cleanEnv(given, validators, { reporter: ({ errors }) => throwWhenAny(errors) }) };
}

/**
 * Reads the settings of the service. Each has the name of its variable in camel case.
 *
 * @throws ConfigError that names each invalid variable, and why
 */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const env = readEnvironment(environment, {
    HOST: str({ default: '127.0.0.1' }),
    PORT: integer(0, 65_535)({ default: 3000 }),
    DATABASE_URL: postgresUrl({ default: undefined }),
    PGSSLROOTCERT: textFile({ default: undefined }),
    DATABASE_REPLICA_URLS: postgresUrls({ default: [] }),
    DATABASE_REPLICA_MAX_LAG_MS: integer(1, MAX_TIMER_MS)({ default: 1000 }),
    DATABASE_POOLER: str({ choices: ['transaction'], default: undefined }),
    DATABASE_POOL_SIZE: integer(1, 1000)({ default: 10 }),
    DATABASE_START_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 30_000 }),
    DATABASE_CONNECT_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 3000 }),
    DATABASE_QUERY_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 5000 }),
    DATABASE_LOCK_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 2000 }),
    DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 10_000 }),
    DATA_DIR: str({ default: './data' }),
    MIGRATE_ON_START: bool({ default: true }),
    SIGNUP: str({ choices: ['open', 'closed'], default: undefined }),
    SIGNUP_LIMIT_PER_HOUR: integer(1, 1_000_000_000)({ default: 10 }),
    KEY_LIMIT_PER_HOUR: integer(1, 1_000_000_000)({ default: 100 }),
    SUPPORT_CONTACT: str({ default: undefined }),
    PUBLIC_URL: baseUrl({ default: undefined }),
    STAGING_URL: baseUrl({ default: undefined }),
    LOG_LEVEL: str({ choices: LOG_LEVELS, default: undefined }),
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl({ default: undefined }),
    METRICS_HOST: str({ default: '127.0.0.1' }),
    METRICS_PORT: integer(0, 65_535)({ default: undefined }),
    SHUTDOWN_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 10_000 }),
    MAX_CONNECTIONS: integer(1, 1_000_000)({ default: 10_000 }),
    HEADERS_LIMIT_BYTES: integer(1024, 1024 ** 2)({ default: 16 * 1024 }),
    BODY_LIMIT_BYTES: integer(1, 256 * 1024 ** 2)({ default: BODY_LIMIT_BYTES }),
    HEADERS_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 10_000 }),
    REQUEST_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 60_000 }),
    RESPONSE_STALL_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 30_000 }),
    KEEP_ALIVE_TIMEOUT_MS: integer(1, MAX_TIMER_MS)({ default: 65_000 }),
    CORS_ORIGINS: origins({ default: undefined }),
    RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000_000)({ default: undefined }),
    TRUST_PROXY: proxies({ default: undefined }),
    MESSAGE_WEBHOOK_URL: httpUrl({ default: undefined }),
    MESSAGE_WEBHOOK_SECRET: webhookSecret({ default: undefined }),
    MESSAGE_RETENTION_DAYS: integer(1, 36_500)({ default: 30 }),
  });
  if (env.DATABASE_REPLICA_URLS.length > 0 && env.DATABASE_URL === undefined) {
    throw new ConfigError('DATABASE_REPLICA_URLS: requires DATABASE_URL');
  }
  if (env.MESSAGE_WEBHOOK_URL !== undefined && env.MESSAGE_WEBHOOK_SECRET === undefined) {
    throw new ConfigError('MESSAGE_WEBHOOK_URL: requires MESSAGE_WEBHOOK_SECRET');
  }
  return {
    ...camelcaseKeys(env),
    signup: env.SIGNUP ?? (env.DATABASE_URL === undefined ? 'open' : 'closed'),
  } as const;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

function throwWhenAny(errors: Partial<Record<string, Error>>): void {
  const lines = Object.entries(errors).map(([name, error]) => {
    const reason = error instanceof EnvMissingError ? 'is required' : error?.message;
    return `${name}: ${reason ?? 'invalid'}`;
  });
  if (lines.length > 0) throw new ConfigError(lines.join('\n'));
}
