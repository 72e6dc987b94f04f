import { Inject, Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

import { CONFIG, type Config } from '../../config/config.js';
import { Database } from '../database.js';
import { planningOf, timeoutsOf } from './session-settings.js';

const SETTINGS = {
  name: 'session-settings',
  text: 'SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[])',
};

/**
 * Checks the settings of sessions behind a pooler in transaction mode. The service cannot set timeouts and planner
 * settings there, so the role of the database must have them.
 */
@Injectable()
export class PoolerSettingsCheck {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: PinoLogger,
  ) {}

  /** Logs a warning with the settings that the role lacks, and the statements that set them. */
  async check(): Promise<void> {
    if (this.config.pooler === undefined) return;
    const expected = Object.entries({ ...timeoutsOf(this.config), ...planningOf(this.database.engine) });
    const names = expected.map(([name]) => name);
    const rows = await this.database.query<{ name: string; setting: string }>(SETTINGS, [names]);
    const found = new Map(rows.map(({ name, setting }) => [name, setting]));
    const missing = expected.filter(([name, value]) => found.get(name) !== String(value));
    if (missing.length === 0) return;
    const remedy = missing.map(([name, value]) => `ALTER ROLE CURRENT_USER SET ${name} = ${value};`);
    this.logger.warn({ remedy }, 'The role of the database lacks settings for sessions behind the pooler');
  }
}
