import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { createInstance, getHttpOperationsFromSpec, type IHttpResponse } from '@stoplight/prism-http';
import { pino } from 'pino';

type Operations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>;

/** A proxy in front of a service that validates every response with Prism. */
export interface ValidatingProxy {
  /** The origin of the proxy. */
  url: string;
  stop(): Promise<void>;
}

const BASE_PATH = '/v1';

/**
 * Starts a proxy that forwards every request unchanged, even an invalid one. It forwards a response if Prism finds that
 * it matches the document. Otherwise it answers with a 500 that lists the violations.
 *
 * Prism's own server rounds integers to doubles, and rejects bodies that are not JSON. Here, Prism finds the operation
 * and validates; the proxy forwards the bytes.
 */
export async function startValidatingProxy(upstream: string, document: object): Promise<ValidatingProxy> {
  const operations = await getHttpOperationsFromSpec(withoutInt64(document));
  // The limits of the service's connections must hold through the proxy, too.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const answer = async () => {
      const response = await forward(incoming, upstream);
      const body = await buffer(response);
      const violations = await judge(operations, incoming, response, body.toString());
      if (violations.length === 0) {
        outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders).end(body);
      } else {
        refuse(outgoing, violations);
      }
    };
    answer().catch((error: unknown) => refuse(outgoing, [String(error)]));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/**
 * Returns the document without the format int64, which Prism limits to integers that a double represents. The bounds
 * remain.
 */
function withoutInt64(document: object): object {
  const text = JSON.stringify(document, (key, value: unknown) =>
    key === 'format' && value === 'int64' ? undefined : value,
  );
  return JSON.parse(text) as object;
}

function refuse(outgoing: ServerResponse, reasons: unknown[]): void {
  outgoing.writeHead(500, { 'content-type': 'application/problem+json' }).end(JSON.stringify(reasons));
}

/** Forwards a request byte for byte. */
async function forward(incoming: IncomingMessage, upstream: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(upstream);
  const { method, url: path, rawHeaders: headers } = incoming;
  // The proxy sends the whole body, so that the client can read a response that comes before the end of the body.
  const body = await buffer(incoming);
  const request = sendRequest({ hostname, port, method, path, headers, agent: new Agent() });
  return new Promise((resolve, reject) => request.on('response', resolve).on('error', reject).end(body));
}

/** Returns Prism's violations of a response, or none if the document has no such operation. */
async function judge(
  operations: Operations,
  { method = '', url = '' }: IncomingMessage,
  { statusCode = 0, headers, headersDistinct }: IncomingMessage,
  text: string,
): Promise<unknown[]> {
  if (!url.startsWith(`${BASE_PATH}/`)) return [];
  const answer: IHttpResponse = {
    statusCode,
    headers: Object.fromEntries(
      Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
    ),
    body: headers['content-type']?.startsWith('application/json;') && text !== '' ? JSON.parse(text) : text,
  };
  const prism = createInstance(
    {
      ...{ isProxy: true, upstream: new URL('http://127.0.0.1'), upstreamProxy: undefined, errors: false },
      ...{ checkSecurity: false, validateRequest: false, validateResponse: true, mock: { dynamic: false } },
    },
    {
      logger: pino({ level: 'silent' }),
      forward: () => () => () => Promise.resolve({ _tag: 'Right', right: answer }),
    },
  );
  const [path = ''] = url.slice(BASE_PATH.length).split('?');
  const result = await prism.request({ method: method.toLowerCase() as 'get', url: { path } }, operations)();
  return result._tag === 'Left' ? [String(result.left)] : result.right.validations.output;
}
