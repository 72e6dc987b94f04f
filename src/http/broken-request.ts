import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { ErrorBody } from './error.dto.js';
import { stringifyJson } from './json.js';

/** Answers what is no HTTP, or comes too slowly, with an Error body, and ends the connection. */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const body = stringifyJson(new ErrorBody('invalid_request', 'This is not a request in HTTP/1.1.'));
    socket.end(
      [
        'HTTP/1.1 400 Bad Request',
        'Connection: close',
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${randomUUID()}`,
        '',
        body,
      ].join('\r\n'),
    );
  });
}
