import type { QueryResult } from 'pg';
import type { EntitySubscriberInterface } from 'typeorm';

type AfterQuery = NonNullable<EntitySubscriberInterface['afterQuery']>;

/**
 * Fails the commit of a transaction that has a failed statement. PostgreSQL answers such a COMMIT with ROLLBACK and no
 * error, which TypeORM ignores. pg's status of the transaction is not certain before the commit, because the error of a
 * statement arrives before the status.
 */
export class FailedCommitSubscriber implements EntitySubscriberInterface {
  readonly afterQuery: AfterQuery = ({ query, success, rawResults }) => {
    if (query !== 'COMMIT' || !success || (rawResults as QueryResult).command !== 'ROLLBACK') return;
    throw new Error('the transaction was rolled back, because one of its statements failed');
  };
}
