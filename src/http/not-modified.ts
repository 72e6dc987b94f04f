import type { IncomingMessage } from 'node:http';

const withoutWeakness = (tag: string) => tag.trim().replace(/^W\//, '');

/**
 * Returns whether the client has the current representation already (RFC 9110, section 13.1.2). Express would ignore the
 * condition of a request with `Cache-Control: no-cache`, which each conditional `fetch` sends.
 *
 * @param etag that of the representation, without commas
 */
export function isNotModified({ method, headers }: IncomingMessage, etag?: string): boolean {
  const condition = headers['if-none-match'];
  if (condition === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  if (condition.trim() === '*') return true;
  return etag !== undefined && condition.split(',').map(withoutWeakness).includes(withoutWeakness(etag));
}
