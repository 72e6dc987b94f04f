import type { Request } from 'express';
import getRawBody from 'raw-body';

import { InvalidRequest } from '../domain/domain-error.js';
import { PayloadTooLarge } from './http-errors.js';

/** A request of which this module remembers what Node does not tell yet. */
interface ReadRequest extends Request {
  /** Node hands over the last piece of a body, and promises go on, before it says that the request is complete. */
  isBodyRead?: true;
}

/**
 * Reads the body of a request. A small one has mostly come with the headers: it is there at once, nothing waits for it,
 * and the request tells no `end`, as one without a body does not either: to tell it made a create a twentieth slower.
 *
 * @param limit how many bytes it may have
 * @throws PayloadTooLarge; InvalidRequest when it ends early
 */
export function readBody(request: ReadRequest, limit: number): Buffer | Promise<Buffer> {
  if (request.readableEnded) return Buffer.alloc(0);
  const length = request.headers['content-length'];
  const { readableLength } = request;
  if (length === undefined || readableLength !== Number(length) || readableLength > limit) {
    return receiveBody(request, length, limit);
  }
  request.isBodyRead = true;
  return (request.read() as Buffer | null) ?? Buffer.alloc(0);
}

async function receiveBody(request: Request, length: string | undefined, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { length: length ?? null, limit });
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
