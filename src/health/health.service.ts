import { Injectable } from '@nestjs/common';

import { Database } from '../database/database.js';
import { Unavailable } from '../domain/domain-error.js';

/** The readiness of this process. */
@Injectable()
export class HealthService {
  private stopping = false;

  constructor(private readonly database: Database) {}

  /** @throws Unavailable when the process is stopping, or the database does not respond */
  async assertReady(): Promise<void> {
    if (this.stopping) throw new Unavailable(new Error('stopping'));
    await this.database.ping();
  }

  /** Makes the process not ready. */
  stop(): void {
    this.stopping = true;
  }
}
