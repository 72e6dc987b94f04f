import { Controller, Get, ServiceUnavailableException, VERSION_NEUTRAL } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, type HealthCheckStatus } from '@nestjs/terminus';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';

import { Public } from '../auth/public.decorator.js';
import { NotReady } from './health.errors.js';
import { HealthService } from './health.service.js';

/** The health checks of orchestrators: liveness and readiness. */
@Public()
@SkipThrottle()
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
  @HealthCheck({ swaggerDocumentation: false })
  async ready(): Promise<{ status: HealthCheckStatus }> {
    try {
      const { status } = await this.health.check();
      return { status };
    } catch (error) {
      throw error instanceof ServiceUnavailableException ? toNotReady(error) : error;
    }
  }
}

function toNotReady(exception: ServiceUnavailableException): NotReady {
  const { error: failed = {} } = exception.getResponse() as HealthCheckResult;
  return new NotReady(Object.keys(failed), new Error(`not ready: ${JSON.stringify(failed)}`));
}
