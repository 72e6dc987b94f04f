import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Express } from 'express';

import type { Config } from '../config/config.js';
import { MAX_HEADER_FIELDS } from '../limits.js';
import { type ClientError, errorOf, refuse } from './client-error.js';
import type { Connections } from './connections.js';
import type { JoinedRequest } from './joined-request.js';

/** The interval at which Node checks the timeouts of requests. */
const CHECK_INTERVAL_MS = 1000;

/** Creates Node's server with the limits of the configuration. Text that is not HTTP gets an Error body. */
export function createHttpServer(config: Config, connections: Connections, app: Express): Server {
  const server = createServer({
    IncomingMessage: app.request.constructor as typeof JoinedRequest,
    ServerResponse: app.response.constructor as typeof ServerResponse,
    maxHeaderSize: config.headersLimitBytes,
    headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: config.keepAliveTimeoutMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // The application rejects a missing or repeated Host header with an Error body.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  });
  server.maxConnections = config.maxConnections;
  server.maxHeadersCount = MAX_HEADER_FIELDS;
  const listener: RequestListener<typeof JoinedRequest> = (request, response) => {
    const earlier = connections.track(request, response);
    const handleIfOpen = () => {
      if (request.socket.writable) app(request, response);
    };
    // Pipelined requests wait for each other, so that only one response of a connection takes memory at a time, and
    // other connections have their turns in between.
    if (earlier) earlier.once('close', () => setImmediate(handleIfOpen));
    else app(request, response);
  };
  server
    .on('request', listener)
    // A guard invites the body, or a response refuses it.
    .on('checkContinue', listener)
    .on('checkExpectation', listener)
    .on('connection', (socket: Socket) => connections.add(socket))
    .on('clientError', (error: ClientError, socket: Socket) => {
      const responses = connections.responsesOn(socket);
      const earlier = responses.findLast(({ req, headersSent }) => req.complete && !headersSent);
      // A client that has sent nothing could read an error as the response to its first request.
      if (error.code === 'ECONNRESET' || socket.bytesRead === 0) socket.destroy();
      // A client would read the error as the response to its earlier request.
      else if (earlier) earlier.setHeader('Connection', 'close');
      else if (responses.some(({ headersSent }) => headersSent)) socket.destroySoon();
      else refuse(socket, errorOf(error, config.headersLimitBytes), config);
    });
  connections.watch(server);
  return server;
}
