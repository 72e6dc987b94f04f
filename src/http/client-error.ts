import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import { HttpException } from '@nestjs/common';

import type { Config } from '../config/config.js';
import { MAX_HEADER_FIELDS } from '../limits.js';
import { toErrorResponse } from './errors/error-response.js';
import { headersOf, NOT_CACHED } from './response-headers.js';

export interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

/** Matches the beginning of a request whose target does not end. Node passes only the last piece of a request. */
const LONG_TARGET = /^[A-Z]+ \S*$/;

/** Returns the error for text that Node does not accept as a request. */
export function errorOf({ code, rawPacket }: ClientError, headersLimitBytes: number): HttpException {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return LONG_TARGET.test(rawPacket?.toString('latin1', 0, headersLimitBytes) ?? '')
        ? new HttpException(`The target of the request exceeds ${headersLimitBytes} bytes.`, 414)
        : new HttpException(
            `The target and the headers together exceed ${headersLimitBytes} bytes or ${MAX_HEADER_FIELDS} fields.`,
            431,
          );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpException('The request took too long to arrive.', 408);
    default:
      return new HttpException('This is not a request in HTTP/1.1 with a known method.', 400);
  }
}

/** The time for a client to read the response and to close its side of the connection. */
const HALF_CLOSE_TIMEOUT_MS = 1000;

/** Answers with an Error body on a connection whose request has no response object, and closes the connection. */
export function refuse(socket: Socket, error: HttpException, config: Config): void {
  // Node reports every further piece of a broken request as another error.
  if (!socket.writable) return;
  const { body } = toErrorResponse(error);
  const text = JSON.stringify(body);
  const headers = {
    ...headersOf(config),
    ...NOT_CACHED,
    Date: new Date().toUTCString(),
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': randomUUID(),
    // The origin of the request is not known, and the error contains nothing that other pages must not read.
    ...(config.corsOrigins && { 'Access-Control-Allow-Origin': '*' }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const statusLine = `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status] ?? ''}`;
  socket.end([statusLine, ...lines, '', text].join('\r\n'));
  setTimeout(() => socket.destroy(), HALF_CLOSE_TIMEOUT_MS).unref();
}
