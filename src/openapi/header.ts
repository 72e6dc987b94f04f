/** A header that an answer may have, as the published document describes it. A number as the example makes it an integer. */
export function header(description: string, example: string | number) {
  return typeof example === 'number'
    ? { description, schema: { type: 'integer' as const, minimum: 0, examples: [example] } }
    : { description, schema: { type: 'string' as const, examples: [example] } };
}

/** A header that an answer always has. */
export function requiredHeader(description: string, example: string | number) {
  return { ...header(description, example), required: true };
}

export const SECONDS_TO_WAIT = 'How many seconds to wait.';

/** The headers of a limit (draft-ietf-httpapi-ratelimit-headers-10). */
export function quotaHeaders(required: boolean) {
  const declare = required ? requiredHeader : header;
  return {
    'RateLimit-Policy': declare(
      'What is limited: so many requests in a window of so many seconds. Present where there is a limit.',
      '"key";q=600;w=60',
    ),
    RateLimit: declare('What is left of it, and for how many seconds.', '"key";r=599;t=42'),
  };
}

/** The header of an answer that holds a secret. */
export const NO_STORE = {
  'Cache-Control': requiredHeader('The answer holds a key, so no cache may store it (RFC 9111).', 'no-store'),
};
