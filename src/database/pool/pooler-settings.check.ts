import { Inject, Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

import { CONFIG, type Config } from '../../config/config.js';
import { Database } from '../database.js';
import { planningOf } from './planning.js';
import { timeoutsOf } from './timeouts.js';

const SETTINGS = {
  name: 'session-settings',
  text: 'SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[])',
};

/**
 * Behind a pooler of transactions, sessions are not the service's own to set anything in: the role of the
 * database sets the timeouts and the planning.
 */
@Injectable()
export class PoolerSettingsCheck {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: PinoLogger,
  ) {}

  /** Warns of what the role does not set, and says how. */
  async check(): Promise<void> {
    if (this.config.pooler === undefined) return;
    const wanted = Object.entries({ ...timeoutsOf(this.config), ...planningOf(this.database.engine) });
    const names = wanted.map(([name]) => name);
    const rows = await this.database.query<{ name: string; setting: string }>(SETTINGS, [names]);
    const found = new Map(rows.map(({ name, setting }) => [name, setting]));
    const missing = wanted.filter(([name, value]) => found.get(name) !== String(value));
    if (missing.length === 0) return;
    const remedy = missing.map(([name, value]) => `ALTER ROLE CURRENT_USER SET ${name} = ${value};`);
    this.logger.warn({ remedy }, 'Sessions behind the pooler lack settings, which the role can have');
  }
}
