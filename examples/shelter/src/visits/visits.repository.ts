import { Injectable } from '@nestjs/common';
import { Database, type Statement, type Transaction } from 'petstore';

import type { NewVisit, Visit } from './visit.dto.js';

const COLUMNS = `id, pet_id AS "petId", to_char(day, 'YYYY-MM-DD') AS day, reason`;

const INSERT: Statement = {
  name: 'shelter-visit-insert',
  text: `INSERT INTO shelter_visit (pet_id, day, reason) VALUES ($1, $2, $3)
         ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
};

const LIST: Statement = {
  name: 'shelter-visit-list',
  text: `SELECT ${COLUMNS} FROM shelter_visit WHERE id > $1 ORDER BY id LIMIT $2`,
};

const DELETE_OLD: Statement = {
  name: 'shelter-visit-delete-old',
  text: `DELETE FROM shelter_visit WHERE day < now() - interval '10 years'`,
};

// One replica inserts the row of an hour, and runs the job. The lock lets no other one wait for its end.
const CLAIM: Statement = {
  name: 'shelter-job-claim',
  text: `INSERT INTO shelter_job_run (job, hour) SELECT $1, date_trunc('hour', now())
         WHERE pg_try_advisory_xact_lock(hashtext($1)) ON CONFLICT DO NOTHING RETURNING job`,
};

/** Stores visits. */
@Injectable()
export class VisitsRepository {
  constructor(private readonly database: Database) {}

  /** Adds a visit. Returns undefined if the animal has one on this day. */
  async insert({ petId, day, reason }: NewVisit, transaction: Transaction): Promise<Visit | undefined> {
    const [visit] = await transaction.query<Visit>(INSERT, [petId, day, reason]);
    return visit;
  }

  list(after: bigint, limit: number): Promise<Visit[]> {
    return this.database.query<Visit>(LIST, [after, limit]);
  }

  /** Deletes the visits of more than ten years ago, once per hour on one replica. */
  async deleteOld(): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const claimed = await transaction.query(CLAIM, ['delete-old-visits']);
      if (claimed.length > 0) await transaction.query(DELETE_OLD, []);
    });
  }
}
