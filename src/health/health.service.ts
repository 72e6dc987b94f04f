import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';

import { Unavailable } from '../domain/errors.js';
import { ReadinessIndicator } from './readiness-indicator.js';

/** The readiness of this process. */
@Injectable()
export class HealthService implements OnApplicationBootstrap {
  private indicators: ReadinessIndicator[] = [];
  private isStopping = false;

  constructor(
    private readonly checks: HealthCheckService,
    private readonly discovery: DiscoveryService,
  ) {}

  onApplicationBootstrap(): void {
    const instances = this.discovery.getProviders().map(({ instance }): unknown => instance);
    this.indicators = instances.filter((instance) => instance instanceof ReadinessIndicator);
  }

  /**
   * Runs the readiness indicators of all modules.
   *
   * @throws Unavailable when the process is stopping
   * @throws ServiceUnavailableException of Nest, with the results, when a check fails
   */
  async check(): Promise<HealthCheckResult> {
    if (this.isStopping) throw new Unavailable(new Error('stopping'));
    return this.checks.check(this.indicators.map((indicator) => () => indicator.check()));
  }

  /** Makes the process not ready. */
  stop(): void {
    this.isStopping = true;
  }
}
