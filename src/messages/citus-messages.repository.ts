import { Inject, Injectable } from '@nestjs/common';

import { COORDINATOR } from '../database/citus/coordinator.js';
import { Nodes } from '../database/citus/nodes.js';
import { namedStatements, type Session } from '../database/session.js';
import { type LeasedMessage, type MessageOfAccount, MessagesRepository } from './messages.repository.js';

const SQL = namedStatements({
  // Citus refuses FOR UPDATE across shards. The repeated condition excludes messages that another process has changed.
  'message-take': `WITH due AS MATERIALIZED (
      SELECT id FROM message
      WHERE delivered_at IS NULL AND parked_at IS NULL AND due_at <= now()
      ORDER BY due_at, id LIMIT $1),
    taken AS (
      UPDATE message SET attempts = attempts + 1, due_at = now() + $2::int * interval '1 millisecond'
      WHERE id IN (SELECT id FROM due) AND delivered_at IS NULL AND parked_at IS NULL AND due_at <= now()
      RETURNING id, account_id, message, created_at, attempts, due_at)
    SELECT id, account_id AS "accountId", message, created_at AS "createdAt", attempts, due_at::text AS lease
    FROM taken`,

  // Each node has advisory locks of its own.
  'message-lock-queue': `SELECT pg_try_advisory_xact_lock(hashtextextended('message-take', 0)) AS "isLocked"
    FROM ${COORDINATOR}`,
});

/** Reads and writes messages on Citus. Each insert is a statement, which Citus routes to the worker of the row. */
@Injectable()
export class CitusMessagesRepository extends MessagesRepository {
  @Inject(Nodes) private readonly nodes!: Nodes;

  override async insert(message: MessageOfAccount, session: Session = this.database): Promise<void> {
    const { text, values } = this.table.insertValues([message]);
    const guard = this.nodes.ofRow('message', 'id', message.id);
    const waiting = { account: message.accountId, characters: message.message.length };
    await session.query({ name: 'message-insert', text, ...waiting, guard }, values);
  }

  /**
   * Takes nothing while another process takes messages, because concurrent updates of the same messages on several shards
   * can cause a deadlock.
   */
  protected override takeRows(limit: number, leaseMs: number): Promise<LeasedMessage[]> {
    return this.database.transaction(async (transaction) => {
      const { isLocked } = await transaction.queryOne<{ isLocked: boolean }>(SQL['message-lock-queue'], []);
      if (!isLocked) return [];
      const statement = { ...SQL['message-take'], guard: this.nodes.ofAll('message') };
      return transaction.query<LeasedMessage>(statement, [limit, leaseMs]);
    });
  }
}
