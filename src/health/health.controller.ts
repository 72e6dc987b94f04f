import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

import { Public } from '../auth/callers/caller.decorator.js';
import { HealthService } from './health.service.js';

/** The health checks of orchestrators: liveness and readiness. */
@Public()
@ApiExcludeController()
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** Liveness does not depend on the database, because a restart does not help while the database is unavailable. */
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(): Promise<{ status: 'ok' }> {
    await this.health.check();
    return { status: 'ok' };
  }
}
