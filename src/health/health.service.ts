import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';

import { Unavailable } from '../domain/domain-error.js';
import { ReadinessIndicator } from './readiness-indicator.js';

/** The readiness of this process. */
@Injectable()
export class HealthService {
  private stopping = false;

  constructor(
    private readonly checks: HealthCheckService,
    private readonly discovery: DiscoveryService,
  ) {}

  /**
   * Runs the readiness indicators of all modules.
   *
   * @throws Unavailable when the process is stopping, or the database does not answer
   * @throws ServiceUnavailableException of Nest, with the results, when another check fails
   */
  async check(): Promise<HealthCheckResult> {
    if (this.stopping) throw new Unavailable(new Error('stopping'));
    return this.checks.check(this.findIndicators().map((indicator) => () => indicator.check()));
  }

  /** Makes the process not ready. */
  stop(): void {
    this.stopping = true;
  }

  private findIndicators(): ReadinessIndicator[] {
    const instances = this.discovery.getProviders().map(({ instance }): unknown => instance);
    return instances.filter((instance) => instance instanceof ReadinessIndicator);
  }
}
