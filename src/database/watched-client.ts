import pg from 'pg';

/** A statement, and how long the server may not answer it at all. */
export interface WatchedQuery extends pg.QueryConfig {
  readonly answerTimeoutMs: number;
}

type Callback = (error: Error | undefined, result: pg.QueryResult) => void;

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
  private isAsked = false;
  private isSilent = false;

  override query(query: unknown, values?: unknown, callback?: unknown): never {
    const result = isWatched(query)
      ? this.watch(query, (callback ?? values) as Callback | undefined)
      : send.call(this, query, values, callback);
    return result as never;
  }

  private watch(query: WatchedQuery, callback?: Callback): Promise<pg.QueryResult> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        void this.watch(query, (error, result) => (error ? reject(error) : resolve(result)));
      });
    }
    this.isAsked = true;
    (this.timer ??= setTimeout(() => this.giveUp(), query.answerTimeoutMs).unref()).refresh();
    send.call(this, query, undefined, (error: Error | undefined, result: pg.QueryResult) => {
      this.isAsked = false;
      callback(this.isSilent ? new Error('Connection terminated: the server did not answer') : error, result);
    });
    return undefined;
  }

  private giveUp(): void {
    if (!this.isAsked) return;
    this.isSilent = true;
    void this.end();
  }
}

function isWatched(query: unknown): query is WatchedQuery {
  return typeof query === 'object' && query !== null && 'answerTimeoutMs' in query;
}
