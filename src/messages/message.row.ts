import type { Message } from './message.dto.js';

/** A message, and the account that sends it. */
export type MessageOfAccount = Message & { readonly accountId: bigint };

/** The columns of a new message, in the order of {@link valuesOf}. */
export const MESSAGE_COLUMNS = 'id, account_id, message, status, created_at';

/** The values of a new message, for INSERT. */
export function valuesOf({ id, accountId, message, status, createdAt }: MessageOfAccount): unknown[] {
  return [id, accountId, message, status, createdAt.toISOString()];
}
