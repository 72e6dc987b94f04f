import type { Request } from 'express';

import { InvalidRequest } from '../domain/errors.js';

export const PUBLIC_URL = 'public url';

/** `host[:port]` of RFC 3986, sections 3.2.2 and 3.2.3. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\d.:a-f]+\])(?::\d*)?$/i;

/** @throws InvalidRequest when there is not exactly one valid Host header (RFC 9112, section 3.2), except in HTTP/1.0 */
export function assertValidHost({ headers: { host }, httpVersion }: Request): void {
  // Node joins headers of the same name with a comma and a space.
  const isValid = host === undefined ? httpVersion !== '1.1' : HOST.test(host);
  if (!isValid) throw new InvalidRequest('A request must have exactly one valid Host header.');
}

/** An origin whose host is a DNS name or an IP address. Other valid hosts can have characters that act in a shell. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

/**
 * Returns the origin of the service as clients see it: the configured one, or else that of the request. Headers of
 * proxies count only if the configuration trusts the proxy. Without such a host, URLs are relative.
 */
export function rootUrl(request: Request): string {
  const publicUrl = request.app.get(PUBLIC_URL) as string | undefined;
  if (publicUrl !== undefined) return publicUrl.replace(/\/v1$/, '');
  const host = [request.host, request.headers.host].find((text) => text !== undefined && HOST.test(text));
  const protocol = request.protocol.toLowerCase() === 'https' ? 'https' : 'http';
  const origin = URL.parse(`${protocol}://${host}`)?.origin ?? '';
  return ORIGIN.test(origin) ? origin : '';
}

/** Returns a path of the service as clients see it: the configured URL can have a prefix, which a proxy removes. */
export function publicPath(request: Request, path: string): string {
  const publicUrl = request.app.get(PUBLIC_URL) as string | undefined;
  return publicUrl === undefined ? path : new URL(publicUrl.replace(/\/v1$/, path)).pathname;
}
