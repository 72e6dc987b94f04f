import { readFileSync } from 'node:fs';

import { EnvError, makeExactValidator, makeValidator } from 'envalid';
import express from 'express';
import { parse as parseAddress } from 'pg-connection-string';

/** The maximum delay of a timer of Node. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export function integer(minimum: number, maximum: number) {
  return makeValidator<number>((input) => {
    const value = /^\d+$/.test(input) ? Number(input) : NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new EnvError(`"${input}" is not a whole number from ${minimum} to ${maximum}`);
  });
}

/** A URL of HTTP without credentials, which `fetch` refuses. The message does not quote it. */
export const httpUrl = makeValidator<string>((input) => {
  const { protocol = '', username, password } = URL.parse(input) ?? {};
  if (/^https?:$/.test(protocol) && !username && !password) return input;
  throw new EnvError('not an address of the form http://host:port, without a user');
});

/** A secret of Standard Webhooks: `whsec_`, and the base64 of 24 to 64 bytes. The message does not quote it. */
export const webhookSecret = makeValidator<string>((input) => {
  const [, secret = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(input) ?? [];
  const bytes = Buffer.from(secret, 'base64');
  if (bytes.toString('base64') === secret && bytes.length >= 24 && bytes.length <= 64) return input;
  throw new EnvError('not "whsec_" and the base64 of 24 to 64 bytes');
});

/** The URL of a PostgreSQL. */
export const postgresUrl = makeValidator<string>(readPostgresUrl);

/** A comma-separated list of such URLs. */
export const postgresUrls = makeExactValidator<string[]>((input) => input.split(',').map(readPostgresUrl));

/** Returns the URL. The message does not quote it, because it may contain a password. */
function readPostgresUrl(input: string): string {
  const address = input.trim();
  try {
    const isPostgres = /^postgres(?:ql)?:/i.test(address);
    // The address of a Unix socket has a form that only pg reads.
    if (isPostgres && !parseAddress(address).host?.includes(',')) return address;
  } catch (error) {
    // A file with a certificate.
    if (error instanceof Error && 'path' in error) throw new EnvError(error.message);
  }
  throw new EnvError('not an address of the form postgres://user:password@host:port/database, with one host');
}

/** The name of a file. The setting is its content. */
export const textFile = makeValidator<string>((input) => readFileSync(input, 'utf8'));

/** The public URL of the interface. The message does not quote it, because it may contain a password. */
export const baseUrl = makeValidator<string>((input) => {
  const { protocol = '', origin, username, password, pathname = '', search, hash } = URL.parse(input) ?? {};
  const isPublic = !username && !password && !search && !hash;
  if (/^https?:$/.test(protocol) && pathname.endsWith('/v1') && isPublic) return `${origin}${pathname}`;
  throw new EnvError('not an http or https address that ends in /v1, without a user');
});

/** A comma-separated list of origins (RFC 6454). */
export const origins = makeExactValidator<string[]>((input) => {
  const list = input.split(',').map((origin) => origin.trim());
  if (list.every((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin)) return list;
  throw new EnvError(`"${input}" is not a list of origins such as https://shop.example`);
});

/** The number of proxies in front of the service, or a comma-separated list of their addresses and networks for Express. */
export const proxies = makeExactValidator<number | string[]>((input) => {
  if (/^\d{1,3}$/.test(input)) return Number(input);
  const networks = input.split(',').map((network) => network.trim());
  try {
    express().set('trust proxy', networks);
    return networks;
  } catch {
    throw new EnvError(`"${input}" is neither a number of proxies nor a list of addresses and networks`);
  }
});
