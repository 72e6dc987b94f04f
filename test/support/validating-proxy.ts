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

/** A proxy in front of a service that lets Prism judge every answer. */
export interface ValidatingProxy {
  /** Where it listens, without a path. */
  url: string;
  stop(): Promise<void>;
}

const BASE_PATH = '/v1';

/**
 * Starts a proxy that passes every request on as it is, also a wrong one, and every answer back if
 * Prism finds it to be as the document says. Else the answer is a 500 that lists the violations.
 *
 * Prism's own server passes on what it has read, with integers rounded to doubles, and refuses bodies
 * that are not JSON itself. Here Prism finds the operation and validates, and the bytes go past it.
 */
export async function startValidatingProxy(upstream: string, document: object): Promise<ValidatingProxy> {
  const operations = await getHttpOperationsFromSpec(withoutInt64(document));
  // What the service promises of its connections, the answers that are passed on promise of these.
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

/** The same document without the format int64, which Prism takes for what a double holds. Its bounds stay. */
function withoutInt64(document: object): object {
  const text = JSON.stringify(document, (key, value: unknown) =>
    key === 'format' && value === 'int64' ? undefined : value,
  );
  return JSON.parse(text) as object;
}

function refuse(outgoing: ServerResponse, reasons: unknown[]): void {
  outgoing.writeHead(500, { 'content-type': 'application/problem+json' }).end(JSON.stringify(reasons));
}

/** Sends a request on, byte for byte. */
async function forward(incoming: IncomingMessage, upstream: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(upstream);
  const { method, url: path, rawHeaders: headers } = incoming;
  // All of it, so that an answer that comes before the end of the body finds a client that listens.
  const body = await buffer(incoming);
  const request = sendRequest({ hostname, port, method, path, headers, agent: new Agent() });
  return new Promise((resolve, reject) => request.on('response', resolve).on('error', reject).end(body));
}

/** What Prism has to say against an answer: nothing, where the document knows no such operation. */
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
