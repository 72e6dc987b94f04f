import pg from 'pg';

import { OneBufferSocket } from './one-buffer-socket.js';
import { type Callback, type Column, PreparedQuery } from './prepared-query.js';
import { readRowsTogether } from './row-parser.js';

/** A statement with its values, and how long the server may take for all of its answer. */
export interface WatchedQuery extends pg.QueryConfig {
  readonly answerTimeoutMs: number;
}

/** pg's own way, in one form for all of its overloads. */
const send = Reflect.get(pg.Client.prototype, 'query') as (
  this: pg.Client,
  ...parameters: unknown[]
) => unknown;

/**
 * pg's client, which closes its connection when the server does not answer a {@link WatchedQuery} in time, so
 * that the statement fails. All of them on one connection have the same time.
 *
 * pg's own `query_timeout` makes a timer and a function for each statement. V8 takes that function for one that is
 * to stay, and what it holds, the rows too, is in memory until a full collection: up to 115 MiB under load.
 */
export class WatchedClient extends pg.Client {
  private timer: NodeJS.Timeout | undefined;
  /** How many were sent, and which of them was answered last. The server answers in turn. */
  private sent = 0;
  private answered = 0;
  private isSilent = false;
  /** The columns of the statements that have run, by their names. */
  private readonly columns = new Map<string, readonly Column[]>();

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    // Who brings a stream keeps it, and TLS puts a socket of its own over one of Node's.
    if (!config.stream && !Reflect.get(this.connection, 'ssl')) {
      Object.assign(this.connection, { stream: new OneBufferSocket() });
    }
    readRowsTogether(this.connection);
  }

  override query(query: unknown, values?: unknown, callback?: unknown): never {
    const result = isWatched(query)
      ? this.watch(query, callback as Callback | undefined)
      : send.call(this, query, values, callback);
    return result as never;
  }

  private watch(query: WatchedQuery, callback?: Callback): Promise<unknown> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        void this.watch(query, (error, result) => (error ? reject(error) : resolve(result)));
      });
    }
    const number = ++this.sent;
    this.startTimer(query.answerTimeoutMs);
    const done: Callback = (error, result) => {
      this.answered = number;
      callback(this.isSilent ? new Error('Connection terminated: the server did not answer') : error, result);
    };
    const { name, text, values = [] } = query;
    if (name === undefined) send.call(this, query, undefined, done);
    else send.call(this, new PreparedQuery({ name, text, values }, this.columns, this, done));
    return undefined;
  }

  private startTimer(timeoutMs: number): void {
    if (this.timer) this.timer.refresh();
    else this.timer = setTimeout(() => this.giveUp(), timeoutMs).unref();
  }

  private giveUp(): void {
    if (this.answered === this.sent) return;
    this.isSilent = true;
    void this.end();
    // After half an answer, pg says goodbye and waits for what will never come.
    this.connection.stream.destroy();
  }
}

function isWatched(query: unknown): query is WatchedQuery {
  return typeof query === 'object' && query !== null && 'answerTimeoutMs' in query;
}
