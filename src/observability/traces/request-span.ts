import type { ServerResponse } from 'node:http';

import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_NETWORK_PROTOCOL_VERSION,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
  ATTR_USER_AGENT_ORIGINAL,
} from '@opentelemetry/semantic-conventions';
import type { Request } from 'express';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Starts the span of a request, which ends with its answer. It follows the semantic conventions for HTTP
 * servers, and holds no header that could be secret, no query and no body.
 */
export function startRequestSpan(
  tracer: Tracer,
  parent: Context,
  request: Request,
  response: ServerResponse,
): Span {
  const isKnown = METHODS.has(request.method);
  // What the conventions call a method that clients make up, in an attribute and in a name.
  const method = isKnown ? request.method : '_OTHER';
  const title = isKnown ? request.method : 'HTTP';
  const attributes = { [ATTR_HTTP_REQUEST_METHOD]: method, ...attributesOf(request) };
  const span = tracer.startSpan(title, { kind: SpanKind.SERVER, attributes }, parent);
  response.once('close', () => {
    const { path: route } = (request.route as { path: string } | undefined) ?? {};
    if (route !== undefined) span.updateName(`${title} ${route}`).setAttribute(ATTR_HTTP_ROUTE, route);
    const { headersSent, statusCode } = response;
    if (headersSent) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, statusCode);
    if (statusCode >= 500) {
      span.setAttribute(ATTR_ERROR_TYPE, String(statusCode)).setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  });
  return span;
}

function attributesOf(request: Request): Attributes {
  const { headers, protocol, httpVersion, url } = request;
  const server = URL.parse(`${protocol}://${headers.host ?? ''}`);
  return {
    [ATTR_URL_SCHEME]: protocol,
    [ATTR_URL_PATH]: url.split('?', 1)[0],
    [ATTR_NETWORK_PROTOCOL_VERSION]: httpVersion,
    [ATTR_USER_AGENT_ORIGINAL]: headers['user-agent'],
    [ATTR_SERVER_ADDRESS]: server?.hostname,
    [ATTR_SERVER_PORT]: server && server.port !== '' ? Number(server.port) : undefined,
  };
}
