import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Config } from '../config/config.js';
import { stringifyJson } from '../domain/json.js';
import { ErrorBody } from './error.dto.js';

/** How long a client may take to read the answer and to close its side of a connection that the service has ended. */
const LINGER_MS = 1000;

/**
 * Answers with an Error body, and ends the connection, what Node would answer by itself without one, or
 * not at all: what is no HTTP, or comes too slowly; CONNECT; a request without Host (RFC 9112, section
 * 3.2), or with an expectation other than 100-continue.
 */
export function answerBrokenRequests(server: Server, { headersLimitBytes }: Config): void {
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // A client that has sent nothing may be about to, and must not take this for the answer to it.
    if (error.code === 'ECONNRESET' || socket.bytesRead === 0) return void socket.destroy();
    // Each piece of what follows is an error again.
    if (broken.has(socket)) return;
    broken.add(socket);
    endInTurn(socket, reasonFor(error.code, headersLimitBytes));
  });
  server.on('connect', (_request, socket) => {
    // Node has let go of this connection.
    socket.on('error', () => socket.destroy()).resume();
    endInTurn(socket, 'This service is no proxy.');
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    refuse(response, 'Only the expectation 100-continue is met.');
  });

  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  Object.assign(server, { requireHostHeader: false });
  server.on('request', (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      refuse(response, 'A request in HTTP/1.1 needs a Host header.');
    } else {
      for (const listener of listeners) listener(request, response);
    }
  });
}

function reasonFor(code: string | undefined, headersLimitBytes: number): string {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return `The address and the headers are together larger than ${headersLimitBytes} bytes.`;
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive.';
  return 'This is not a request in HTTP/1.1.';
}

/** Ends a connection with a refusal, when all requests that came whole before it are answered. */
function endInTurn(socket: Duplex, publicMessage: string): void {
  // Node keeps the answer that is due next here, and looks at it for the same reason.
  const { _httpMessage: due } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (due && (due.req.complete || due.headersSent)) {
    due.once('close', () => endInTurn(socket, publicMessage));
    return;
  }
  if (!socket.writable) return;
  const { headers, body } = refusal(publicMessage);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function refuse(response: ServerResponse, publicMessage: string): void {
  const { headers, body } = refusal(publicMessage);
  response.writeHead(400, headers).end(body);
}

function refusal(publicMessage: string) {
  const body = stringifyJson(new ErrorBody('invalid_request', publicMessage));
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
  };
  return { headers, body };
}
