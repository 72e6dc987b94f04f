import type { Config } from '../config/config.js';

/** The headers of every response, in addition to `X-Request-Id`. */
export function headersOf({ publicUrl }: Config): Readonly<Record<string, string>> {
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(publicUrl?.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
}

/** The header `Cache-Control` of responses whose handler sets none. */
export const NOT_CACHED = { 'Cache-Control': 'private, no-store' };
