import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { PinoLogger } from 'nestjs-pino';

import { messageOf, Unavailable } from '../domain/errors.js';

/** A check that must succeed for the service to be ready. Add a class that extends it to the providers of a module. */
export abstract class ReadinessIndicator {
  /** The name of the check in the error of a service that is not ready. */
  abstract readonly name: string;

  /** Throws when the service is not ready. The log contains the reason. */
  abstract check(): Promise<void>;
}

/** Readiness checks fail, so the service should receive no requests. */
class NotReady extends Unavailable {
  constructor(failures: { readonly name: string; readonly error: unknown }[]) {
    const names = failures.map(({ name }) => name);
    const reasons = failures.map(({ name, error }) => `${name}: ${messageOf(error)}`);
    super(
      new Error(`not ready: ${reasons.join('; ')}`),
      `The service is not ready. These checks fail: ${names.join(', ')}.`,
    );
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
    const results = await Promise.all(
      this.indicators.map(async (indicator) => {
        try {
          await indicator.check();
          return [];
        } catch (error) {
          return [{ name: indicator.name, error }];
        }
      }),
    );
    const failures = results.flat();
    const error = failures.length > 0 ? new NotReady(failures) : undefined;
    if (error && this.isReady) this.logger.error({ err: error.cause }, 'Not ready');
    if (!error && !this.isReady) this.logger.info('Ready again');
    this.isReady = !error;
    if (error) throw error;
  }

  /** Makes the process not ready, because of a signal. */
  stop(signal: string): void {
    this.logger.info(`${signal}: stopping`);
    this.isStopping = true;
  }
}
