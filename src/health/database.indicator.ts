import { Injectable } from '@nestjs/common';

import { Database } from '../database/database.js';
import { ReadinessIndicator } from './health.service.js';

/** Checks that the database answers, and that no migration is pending. */
@Injectable()
export class DatabaseIndicator extends ReadinessIndicator {
  override readonly name = 'database';

  constructor(private readonly database: Database) {
    super();
  }

  override async check(): Promise<void> {
    await this.database.ping();
    if (!(await this.database.isMigrated())) throw new Error('migrations are pending');
  }
}
