import type { Request } from 'express';

/** The setting of the Express application that holds the public address, if one is configured. */
export const PUBLIC_URL = 'public url';

/**
 * The address of the service without a path, as clients see it: that of the configuration, else the scheme and the host
 * of the request, which proxies set only if the configuration trusts them.
 */
export function rootUrl(request: Request): string {
  const publicUrl = request.app.get(PUBLIC_URL) as string | undefined;
  if (publicUrl !== undefined) return publicUrl.replace(/\/v1$/, '');
  const url = `${request.protocol}://${request.host}`;
  // HTTP/1.0 requires no Host header. Without one, addresses are relative.
  return request.get('Host') !== undefined && URL.canParse(url) ? new URL(url).origin : '';
}
