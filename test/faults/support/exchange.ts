import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

import { parseJsonWithBigints } from '#src/domain/json';

/** A request of a client. */
export interface Sent {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A complete response. */
export interface Received {
  kind: 'answer';
  status: number;
  headers: IncomingHttpHeaders;
  /** The JSON of the body, with integers as bigints. Undefined if the body is not JSON. */
  body: unknown;
  text: string;
  durationMs: number;
}

/** No complete response arrived. */
export interface NotReceived {
  /**
   * `refused`: the connection was refused, so the request had no effect. `cut`: the connection ended. `late`: it timed
   * out.
   */
  kind: 'refused' | 'cut' | 'late';
  /** Whether an earlier request used the connection. */
  reused: boolean;
  detail: string;
}

/** Sends a request and waits for the complete response. Never throws. */
export function exchange(
  url: string,
  agent: Agent,
  { method, path, headers = {}, body }: Sent,
  answerWithinMs: number,
): Promise<Received | NotReceived> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(url + path, { agent, method, headers: { ...headers, ...length } });
    const fail = (kind: NotReceived['kind'], detail: string) => {
      clearTimeout(timer);
      resolve({ kind, reused: sent.reusedSocket, detail });
    };
    const timer = setTimeout(() => {
      fail('late', `no answer to ${method} ${path} within ${answerWithinMs} ms`);
      sent.destroy();
    }, answerWithinMs);
    sent.on('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'ECONNREFUSED' ? 'refused' : 'cut', `${method} ${path}: ${error.message}`),
    );
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', (error) => fail('cut', `half an answer to ${method} ${path}: ${error.message}`));
      response.on('end', () => {
        clearTimeout(timer);
        const durationMs = performance.now() - startedAt;
        const { statusCode: status = 0, headers } = response;
        resolve({ kind: 'answer', status, headers, text, body: read(text), durationMs });
      });
    });
    sent.end(body);
  });
}

function read(text: string): unknown {
  try {
    return parseJsonWithBigints(text);
  } catch {
    return undefined;
  }
}
