import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { BadRequestException, type HttpException, NotImplementedException } from '@nestjs/common';

import type { Config } from '../../config/config.js';
import { toErrorResponse } from '../errors/error-mapper.js';
import { HttpVersionNotSupported } from '../errors/http-errors.js';
import type { Connections } from './connections.js';

/** The time for a client to read the response and to close its side of a connection that the service has ended. */
const HALF_CLOSE_TIMEOUT_MS = 1000;

/** The beginning of a request line: a method, which is a token (RFC 9110, section 5.6.2), and a target. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\//;

/**
 * Responds with an Error body to what Node does not pass to the application, and closes the connection: text that is
 * not HTTP, requests that arrive too slowly, CONNECT, and expectations other than 100-continue.
 */
export function answerBrokenRequests(
  server: Server,
  connections: Connections,
  { headersLimitBytes }: Config,
): void {
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: ClientError, socket) => {
    // A client that has sent nothing could read an error as the response to its first request.
    if (error.code === 'ECONNRESET' || (socket as Socket).bytesRead === 0) {
      socket.destroy();
      return;
    }
    // Node reports every further piece of a broken request as another error.
    if (broken.has(socket)) return;
    broken.add(socket);
    refuseAfter(connections.findLastResponse(socket), socket, errorFor(error, headersLimitBytes));
  });
  server.on('connect', (request: IncomingMessage, socket) => {
    socket.on('error', () => socket.destroy()).resume();
    refuseAfter(
      connections.findLastResponse(request.socket),
      socket,
      new BadRequestException('This service is not a proxy.'),
    );
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = refusalOf(
      new BadRequestException('The service supports no expectation but 100-continue.'),
    );
    response.writeHead(status, headers).end(body);
  });
}

/** An error of Node's HTTP parser. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

function errorFor(error: ClientError, headersLimitBytes: number): HttpException {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new BadRequestException(
        `The address and the headers together exceed ${headersLimitBytes} bytes.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new BadRequestException('The request took too long to arrive.');
    case 'HPE_INVALID_VERSION':
      // The version is valid, but CRLF does not follow it.
      if (/ HTTP\/1\.[01]/.test(brokenHeadOf(error))) break;
      return new HttpVersionNotSupported();
    case 'HPE_PAUSED_H2_UPGRADE':
      return new HttpVersionNotSupported();
    case 'HPE_INVALID_TRANSFER_ENCODING':
      // With a Content-Length, the request is ambiguous, whatever the coding (RFC 9112, section 6.3).
      if (!/\r\ncontent-length:/i.test(brokenHeadOf(error))) {
        return new NotImplementedException('The only transfer coding that the service supports is chunked.');
      }
      break;
    case 'HPE_INVALID_METHOD':
      if (REQUEST_LINE.test(brokenHeadOf(error))) {
        return new NotImplementedException('The service does not implement this method.');
      }
      break;
  }
  return new BadRequestException('This is not a request in HTTP/1.1.');
}

/** Returns the text from the start of the broken request. Other requests may precede it in the same packet. */
function brokenHeadOf({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ClientError): string {
  const packet = rawPacket.toString('latin1');
  const endOfPrevious = packet.lastIndexOf('\r\n\r\n', bytesParsed);
  return endOfPrevious === -1 ? packet : packet.slice(endOfPrevious + 4);
}

/** Refuses a request and ends its connection after the responses to earlier requests. */
function refuseAfter(previous: ServerResponse | undefined, socket: Duplex, error: HttpException): void {
  const isDue = previous && !previous.closed && (previous.req.complete || previous.headersSent);
  if (!isDue) {
    refuse(socket, error);
  } else if (previous.req.complete) {
    previous.once('close', () => refuse(socket, error));
  } else {
    // The broken request already has a response.
    previous.once('close', () => endConnection(socket));
  }
}

function refuse(socket: Duplex, error: HttpException): void {
  if (!socket.writable) return;
  const { status, reason, headers, body } = refusalOf(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 ${status} ${reason}`, ...lines, '', body].join('\r\n'));
  endConnection(socket);
}

/** Ends a connection, and destroys it when the client does not close its side in time. */
function endConnection(socket: Duplex): void {
  socket.end();
  setTimeout(() => socket.destroy(), HALF_CLOSE_TIMEOUT_MS).unref();
}

function refusalOf(error: HttpException) {
  const { body: json, headers } = toErrorResponse(error);
  const body = JSON.stringify(json);
  return {
    status: json.status,
    reason: STATUS_CODES[json.status] ?? '',
    body,
    headers: {
      ...headers,
      Connection: 'close',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': randomUUID(),
    },
  };
}
