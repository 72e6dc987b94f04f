import type { IncomingMessage } from 'node:http';

import { InvalidRequest } from '../../domain/domain-error.js';
import { PayloadTooLarge, TooManyPieces } from '../errors/http-errors.js';

/** The maximum number of pieces of a body. Each piece takes time and memory, however short it is. */
const MAX_PIECES = 1024;

/**
 * Reads the body of a request.
 *
 * @throws InvalidRequest when the body ends early
 * @throws PayloadTooLarge, TooManyPieces
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer) => {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes > limitBytes) refuseTooLarge();
    else if (pieces.length > MAX_PIECES) stop(new TooManyPieces(MAX_PIECES));
  };
  const stop = (reason: Error) => {
    pieces.length = 0;
    request.off('data', take);
    reject(reason);
  };
  const refuseTooLarge = () => {
    stop(new PayloadTooLarge(limitBytes));
    // Discard the rest of the body, so that the client can read the response.
    request.resume();
  };
  if (request.destroyed) {
    stop(new InvalidRequest('The body ended early.'));
  } else if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    refuseTooLarge();
  } else {
    request
      .on('data', take)
      .on('end', () => resolve(Buffer.concat(pieces, bytes)))
      .on('error', (error) => reject(new InvalidRequest('The body ended early.', error)));
  }
  return promise;
}
