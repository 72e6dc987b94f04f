/** Describes an optional header of a response. With a number as the example, its type is integer. */
export function header(description: string, example: string | number) {
  return typeof example === 'number'
    ? { description, schema: { type: 'integer' as const, minimum: 0, examples: [example] } }
    : { description, schema: { type: 'string' as const, examples: [example] } };
}

/** Describes a header that a response always has. */
export function requiredHeader(description: string, example: string | number) {
  return { ...header(description, example), required: true };
}

export const SECONDS_TO_WAIT = 'The number of seconds to wait.';

/** The headers of a limit (draft-ietf-httpapi-ratelimit-headers-10). */
export function quotaHeaders(required: boolean) {
  const declare = required ? requiredHeader : header;
  return {
    'RateLimit-Policy': declare(
      'The limit: the number of requests (`q`) in a window of seconds (`w`). Absent if there is no limit.',
      '"key";q=600;w=60',
    ),
    RateLimit: declare(
      'The remaining number of requests (`r`), and the seconds until the window ends (`t`).',
      '"key";r=599;t=42',
    ),
  };
}

/** The header of a response with a secret. */
export const NO_STORE = {
  'Cache-Control': requiredHeader(
    'The response contains a key, so caches must not store it (RFC 9111).',
    'no-store',
  ),
};
