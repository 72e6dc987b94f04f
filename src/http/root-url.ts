import type { Request } from 'express';

/** The Express setting with the configured public URL. */
export const PUBLIC_URL = 'public url';

/**
 * Returns the origin of the service as clients see it: the configured one, or else that of the request. Headers of
 * proxies count only if the configuration trusts the proxy.
 */
export function rootUrl(request: Request): string {
  const publicUrl = request.app.get(PUBLIC_URL) as string | undefined;
  if (publicUrl !== undefined) return publicUrl.replace(/\/v1$/, '');
  const url = `${request.protocol}://${request.host}`;
  // HTTP/1.0 requires no Host header. Without one, URLs are relative.
  return request.get('Host') === undefined ? '' : (URL.parse(url)?.origin ?? '');
}
