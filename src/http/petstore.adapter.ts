import { type IncomingMessage, ServerResponse } from 'node:http';

import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response, Router } from 'express';

import type { Config } from '../config/config.js';
import { bigintReplacer, stringifyJson } from '../domain/json.js';
import { JSON_TEXT, type JsonArray } from '../domain/json-array.js';
import { PUBLIC_URL } from './service-address.js';
import { Connections, REST_TIMEOUT_MS } from './connections.js';
import { createHttpServer } from './create-http-server.js';
import { discardBody } from './discard-body.js';
import { closeServer, drain } from './drain.js';
import { JoinedRequest } from './joined-request.js';
import { PathNotFound } from './errors/http-errors.js';
import { NOT_CACHED } from './response-headers.js';

/**
 * Nest's Express adapter with a server that enforces the limits of the configuration, writes exact integers, and stops
 * without losing requests.
 */
export class PetstoreAdapter extends ExpressAdapter {
  /** The routes behind those of the controllers: pages, documents, and the responses to unsupported methods. */
  readonly fallback = Router({ caseSensitive: true, strict: true });
  /** Adds routes to {@link fallback} when all routes of controllers are known. */
  addFallbackRoutes: () => void = () => undefined;
  private isDrained = false;
  private configured: { readonly config: Config; readonly connections: Connections } | undefined;

  constructor() {
    super(createExpress());
  }

  get connections(): Connections {
    return this.configuration.connections;
  }

  private get configuration() {
    if (!this.configured) throw new Error('The application does not import PetstoreModule.forRoot(…).');
    return this.configured;
  }

  /** Applies the configuration. A provider calls it, because Nest creates the providers before the server. */
  configure(config: Config): void {
    this.configured = { config, connections: new Connections(config) };
    this.set('trust proxy', config.trustProxy ?? false);
    this.set(PUBLIC_URL, config.publicUrl);
  }

  override initHttpServer({ httpsOptions }: NestApplicationOptions = {}): void {
    if (httpsOptions)
      throw new Error('The service has no TLS of its own. Let a reverse proxy terminate TLS.');
    const { config, connections } = this.configuration;
    this.httpServer = createHttpServer(config, connections, this.getInstance<Express>());
  }

  /**
   * Adds the fallback routes. Nest calls it after it has registered the controllers and initialised the modules.
   *
   * @throws Error when the application has a global prefix, which the documents and `Link` do not contain
   */
  override setNotFoundHandler(_handler: unknown, prefix?: string): void {
    if (prefix) {
      throw new Error(
        `The service does not support setGlobalPrefix('${prefix}'). Let a reverse proxy remove the prefix, and set PUBLIC_URL.`,
      );
    }
    this.addFallbackRoutes();
    this.use(this.fallback, () => {
      throw new PathNotFound();
    });
  }

  /** Replies with an object as JSON. A page that nothing has read is JSON already. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (!response.hasHeader('Cache-Control')) response.set(NOT_CACHED);
    const status = statusCode ?? response.statusCode;
    const hasJson = typeof body === 'object' && body !== null && !(body instanceof Error);
    if (!hasJson || status === 204 || status === 304 || body instanceof StreamableFile) {
      if (!response.req.complete) closeBehind(response);
      return super.reply(response, body, statusCode);
    }
    const text = (body as Partial<JsonArray<unknown>>)[JSON_TEXT] ?? stringifyJson(body);
    const etag = response.getHeader('ETag')?.toString();
    if (status === 200 && isNotModified(response.req, etag)) return response.status(304).end();
    response.statusCode = status;
    if (!response.hasHeader('Content-Type')) {
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
    }
    response.setHeader('Content-Length', Buffer.byteLength(text));
    end(response, text);
    return response;
  }

  async drain(): Promise<void> {
    if (!this.configured) return;
    this.isDrained = true;
    await drain(this.configured.connections, this.configured.config.shutdownTimeoutMs);
  }

  override close(): Promise<void> {
    return closeServer(this.httpServer, this.connections, this.isDrained);
  }
}

/** Creates the Express application: exact paths, exact integers in JSON, and no `X-Powered-By`. */
function createExpress(): Express {
  const app = express();
  // Express gives each request and response these prototypes. V8 takes long to replace a prototype, and to use such objects
  // later, so the server creates them with these classes.
  app.request = extend(class extends JoinedRequest {}, express.request, app.request);
  app.response = extend(class extends ServerResponse {}, express.response, app.response);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('json replacer', bigintReplacer);
  return app;
}

/** Adds the properties of objects to the prototype of a class, and returns it. */
function extend<Prototype extends object>(type: NewableFunction, ...objects: Prototype[]): Prototype {
  const prototype = type.prototype as Prototype;
  for (const each of objects) Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(each));
  return prototype;
}

/** Ends a response. A body that arrives with its head is parsed next, so a response to it is not early. */
function end(response: Response, text: string): void {
  const { req: request } = response;
  if (request.complete) response.end(text);
  else setImmediate(() => (request.complete ? response.end(text) : endEarly(response, text)));
}

/**
 * Ends a response before the end of the request. The rest of the body is read and discarded before Node closes the
 * connection, because the client would lose the response otherwise (RFC 9112, section 9.6).
 */
function endEarly(response: Response, text: string): void {
  closeBehind(response);
  response.write(text);
  const timer = setTimeout(() => response.end(), REST_TIMEOUT_MS).unref();
  response.req.once('close', () => {
    clearTimeout(timer);
    response.end();
  });
  discardBody(response.req);
}

/** Closes the connection behind an early response: HAProxy 2.6 would send another request in place of the rest of the body. */
function closeBehind(response: Response): void {
  response.setHeader('Connection', 'close');
}

const withoutWeakness = (tag: string) => tag.trim().replace(/^W\//, '');

/**
 * Returns whether the client has the current representation already (RFC 9110, section 13.1.2). Express would ignore the
 * condition of a request with `Cache-Control: no-cache`, which each conditional `fetch` sends.
 *
 * @param etag that of the representation, without commas
 */
export function isNotModified({ method, headers }: IncomingMessage, etag?: string): boolean {
  const condition = headers['if-none-match'];
  if (condition === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  if (condition.trim() === '*') return true;
  return etag !== undefined && condition.split(',').map(withoutWeakness).includes(withoutWeakness(etag));
}
