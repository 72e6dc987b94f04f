import { type DistributedTable, splitByWorker } from '../database/citus/split-by-worker.js';
import { valuesList } from '../database/citus/values-list.js';
import type { Session } from '../database/session.js';
import { MESSAGE_COLUMNS, type MessageOfAccount, valuesOf } from './message.entity.js';

const MESSAGE: DistributedTable = { name: 'message', keyType: 'uuid' };

const COLUMN_TYPES = ['uuid', 'bigint', 'text', 'text', 'timestamptz'];

/** Inserts messages on Citus with one statement for each worker. Returns a promise for each message. */
export function insertMessagesByWorker(
  session: Session,
  messages: readonly MessageOfAccount[],
): Promise<Promise<undefined>[]> {
  const keyOf = ({ id }: MessageOfAccount) => id;
  return splitByWorker(session, MESSAGE, messages, keyOf, async (ofWorker) => {
    const values = valuesList(COLUMN_TYPES, ofWorker.length);
    const text = `INSERT INTO message (${MESSAGE_COLUMNS}) VALUES ${values}`;
    await session.query({ name: 'messages-insert', text, varies: true }, ofWorker.flatMap(valuesOf));
    return ofWorker.map(() => undefined);
  });
}
