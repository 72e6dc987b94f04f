import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  type RawBodyRequest,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { parse as parseContentType } from 'content-type';
import type { Request } from 'express';

import { CONFIG, type Config } from '../config/config.js';
import { InvalidRequest, Unavailable } from '../domain/errors.js';
import { JsonTooComplex, parseJson } from '../domain/json.js';
import { REFUSAL } from './connection.js';
import { discardBody } from './discard-body.js';
import { PayloadTooLarge, UnsupportedContentCoding } from './errors/http-errors.js';

/** A longer body is parsed in its own turn of the event loop. */
const LONG_BODY_BYTES = 16 * 1024;

/** A Buffer takes 430 bytes beside its text. So the pieces of a body are copied together, if there are more than these. */
const MAX_PIECES = 16;
const MAX_PIECES_PER_BYTE = 1 / 1024;

/** The maximum size in bytes of the bodies of a controller, if it is smaller than that of the configuration. */
export const BodyLimit = Reflector.createDecorator<number>();

/**
 * Reads a JSON body into `request.body`. It is a guard so that it runs after authentication: the body of a request
 * without a valid key is never read. Later guards, interceptors and pipes find the body as usual. Bodies of other
 * content types are not read, so that interceptors such as `FileInterceptor` can read them.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly reflector: Reflector,
  ) {}

  /** @throws InvalidRequest, PayloadTooLarge, UnsupportedContentCoding, Unavailable */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<RawBodyRequest<Request>>();
    const { 'content-type': contentType, 'content-encoding': coding = 'identity' } = request.headers;
    if (!hasUnreadBody(request) || contentType === undefined || !isJson(contentType)) return true;
    if (coding.toLowerCase() !== 'identity') throw new UnsupportedContentCoding();
    const ofOperation = this.reflector.get(BodyLimit, context.getClass()) as number | undefined;
    const limitBytes = Math.min(ofOperation ?? Infinity, this.config.bodyLimitBytes);
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new PayloadTooLarge(limitBytes);
    return this.readAndParse(request, limitBytes);
  }

  private async readAndParse(request: RawBodyRequest<Request>, limitBytes: number): Promise<true> {
    const { headers, httpVersion, res: response } = request;
    if (headers.expect?.toLowerCase() === '100-continue' && httpVersion === '1.1') response?.writeContinue();
    request.rawBody = await this.read(request, limitBytes);
    if (request.rawBody.length > 0) request.body = parseJsonBody(request.rawBody);
    return true;
  }

  /** Reads a body. A long one can be refused until the turn in which it is parsed. */
  private async read(request: Request, limitBytes: number): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    let pieces: Buffer[] = [];
    let bytes = 0;
    const take = (piece: Buffer) => {
      bytes += piece.length;
      if (pieces.push(piece) > MAX_PIECES + bytes * MAX_PIECES_PER_BYTE)
        pieces = [Buffer.concat(pieces, bytes)];
      if (bytes > limitBytes) reject(new PayloadTooLarge(limitBytes));
    };
    const finish = () => {
      if (bytes > LONG_BODY_BYTES) void yieldToEventLoop().then(resolve);
      else resolve(undefined);
    };
    const fail = (cause?: Error) => reject(new InvalidRequest('The body ended early.', cause));
    const refuse = (reason: Error) => reject(new Unavailable(reason));
    request.on(REFUSAL, refuse).on('data', take).on('end', finish).on('error', fail);
    if (request.destroyed) fail();
    try {
      await promise.finally(() => request.off('data', take).off(REFUSAL, refuse));
      return Buffer.concat(pieces, bytes);
    } catch (error) {
      discardBody(request, pieces);
      throw error;
    } finally {
      // The listeners of the request keep the list in memory.
      pieces = [];
    }
  }
}

/**
 * Returns whether there is a body to read. A team's middleware may have read it already. That of GET and HEAD has no
 * meaning (RFC 9110, section 9.3.1) and is ignored.
 */
export function hasUnreadBody({ method, headers, body, rawBody }: RawBodyRequest<Request>): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return body === undefined && rawBody === undefined && (length !== '0' || coding !== undefined);
}

function isJson(contentType: string): boolean {
  const { type, parameters } = parseContentType(contentType);
  return type === 'application/json' && (parameters['charset'] ?? 'utf-8').toLowerCase() === 'utf-8';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the JSON text of a body in UTF-8.
 *
 * @throws InvalidRequest
 */
export function parseJsonBody(body: Buffer): unknown {
  try {
    return parseJson(utf8.decode(body));
  } catch (error) {
    if (error instanceof JsonTooComplex)
      throw new InvalidRequest(`The body contains ${error.message}.`, error);
    throw new InvalidRequest('The body is not valid JSON in UTF-8.', error);
  }
}

/** Resolves when the last caller of {@link yieldToEventLoop} gets its turn. */
let lastTurn = Promise.resolve();

/**
 * Resolves in a separate turn of the event loop for each caller. Work of several milliseconds waits for it, so that
 * other requests are served in between.
 */
function yieldToEventLoop(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}
