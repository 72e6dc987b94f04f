import { V7Generator } from 'uuidv7';

const ids = new V7Generator();
ids.setRollbackAllowance(2 ** 48 - 1);

/**
 * Returns an id for a message: a UUID of version 7 (RFC 9562). Within a process, later ids are larger, even when the
 * clock is set back.
 */
export function newMessageId(): string {
  return ids.generate().toString();
}
