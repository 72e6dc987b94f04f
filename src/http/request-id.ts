import { randomUUID } from 'node:crypto';

/** A new id for a request. */
export function newRequestId(): string {
  return randomUUID();
}
