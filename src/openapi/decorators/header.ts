import type { ApiResponseNoStatusOptions } from '@nestjs/swagger';

import { MAX_REQUEST_ID_LENGTH } from '../../limits.js';

type Headers = NonNullable<ApiResponseNoStatusOptions['headers']>;

export type Examples = Readonly<Record<string, string>>;

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'Accept-Encoding': 'The content codings that the service decodes (RFC 9110).',
  Deprecation: 'The time since which the operation is deprecated (RFC 9745).',
  Link: 'The operation to use instead (RFC 8288).',
  'RateLimit-Policy':
    'The limit: the number of requests (`q`) in a window of seconds (`w`). Absent if there is no limit.',
  RateLimit: 'The remaining number of requests (`r`), and the seconds until the window ends (`t`).',
  'Retry-After': 'The number of seconds to wait.',
  Sunset: 'The time from which the operation may be removed (RFC 8594).',
  'WWW-Authenticate': 'The challenge (RFC 6750).',
  'X-Request-Id':
    'The id of the request, which the logs contain. It equals the `X-Request-Id` of the request if that has 1 to ' +
    `${MAX_REQUEST_ID_LENGTH} letters, digits or characters of \`_ . : = + / -\`. Otherwise, the service generates it.`,
};

/** Describes a header of a response. With a number as the example, its type is integer. */
export function header(description: string, example: string | number, required = false) {
  const schema =
    typeof example === 'number'
      ? { type: 'integer' as const, minimum: 0, examples: [example] }
      : { type: 'string' as const, examples: [example] };
  return { description, schema, ...(required && { required }) };
}

export function knownHeaders(examples: Examples, required: boolean): Headers {
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [
      name,
      header(DESCRIPTIONS[name] ?? '', /^\d+$/.test(example) ? Number(example) : example, required),
    ]),
  );
}

/** Examples of the headers of a limit (draft-ietf-httpapi-ratelimit-headers-10). */
export const QUOTA = { 'RateLimit-Policy': '"account";q=600;w=60', RateLimit: '"account";r=599;t=42' };
