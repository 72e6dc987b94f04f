import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { PinoLogger } from 'nestjs-pino';

import { Database } from '../database/database.js';
import { messageOf, Unavailable } from '../domain/errors.js';

/** A check that must succeed for the service to be ready. Add a class that extends it to the providers of a module. */
export abstract class ReadinessIndicator {
  /** The name of the check in the error of a service that is not ready. */
  abstract readonly name: string;

  /** Throws when the service is not ready. The log contains the reason. */
  abstract check(): Promise<void>;
}

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

/** The readiness of this process. */
@Injectable()
export class HealthService implements OnApplicationBootstrap {
  private indicators: ReadinessIndicator[] = [];
  private isStopping = false;
  private isReady = true;

  constructor(
    private readonly discovery: DiscoveryService,
    readonly logger: PinoLogger,
  ) {}

  onApplicationBootstrap(): void {
    const instances = this.discovery.getProviders().map(({ instance }): unknown => instance);
    this.indicators = instances.filter((instance) => instance instanceof ReadinessIndicator);
  }

  /**
   * Runs the readiness indicators of all modules.
   *
   * @throws Unavailable when the process is stopping, or checks fail
   */
  async check(): Promise<void> {
    if (this.isStopping) throw new Unavailable(new Error('stopping'));
    const results = await Promise.allSettled(this.indicators.map(async (indicator) => indicator.check()));
    const failures = this.indicators.flatMap(({ name }, index) => {
      const result = results[index];
      return result?.status === 'rejected' ? [{ name, reason: messageOf(result.reason) }] : [];
    });
    const wasReady = this.isReady;
    this.isReady = failures.length === 0;
    if (this.isReady && !wasReady) this.logger.info('Ready again');
    if (this.isReady) return;
    const names = failures.map(({ name }) => name).join(', ');
    const reasons = failures.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
    const cause = new Error(`not ready: ${reasons}`);
    if (wasReady) this.logger.error({ err: cause }, 'Not ready');
    throw new Unavailable(cause, `The service is not ready. These checks fail: ${names}.`);
  }

  /** Makes the process not ready, because of a signal. */
  stop(signal: string): void {
    this.logger.info(`${signal}: stopping`);
    this.isStopping = true;
  }
}
