import type { Request } from 'express';
import getRawBody from 'raw-body';

import { InvalidRequest } from '../domain/domain-error.js';
import { PayloadTooLarge } from './http-errors.js';

/** A request whose body may have been read before Node told that it was complete. */
interface ReadRequest extends Request {
  isBodyRead?: true;
}

/**
 * Reads the body of a request.
 *
 * @param limit how many bytes it may have
 * @throws PayloadTooLarge; InvalidRequest when it ends early
 */
export async function readBody(request: ReadRequest, limit: number): Promise<Buffer> {
  const length = request.headers['content-length'] ?? null;
  try {
    // A small body has come with the headers, and nothing needs to listen for it.
    if (length !== null && Number(length) <= limit && request.readableLength === Number(length)) {
      request.isBodyRead = true;
      return (request.read() as Buffer | null) ?? Buffer.alloc(0);
    }
    return request.readableEnded ? Buffer.alloc(0) : await getRawBody(request, { length, limit });
  } catch (error) {
    const tooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large';
    throw tooLarge ? new PayloadTooLarge(limit) : new InvalidRequest('The body ended early.', error);
  }
}

/** Whether a request carries a body of which something was not read. */
export function hasUnreadBody({ complete, headers, isBodyRead }: ReadRequest): boolean {
  if (complete || isBodyRead) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
