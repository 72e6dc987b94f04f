import { setTimeout as sleep } from 'node:timers/promises';

import type { INestApplication } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Logger } from 'nestjs-pino';

import type { Config } from '../config/config.js';
import type { PetstoreAdapter } from '../http/petstore.adapter.js';
import { HealthService } from './health.service.js';

/**
 * Stops the process on SIGTERM and SIGINT. It reports that it is not ready, answers the requests that it has received,
 * closes the database and exits with code 0. At the deadline, it aborts the remaining requests. Further signals have no
 * effect, because one Ctrl+C can cause two: that of the terminal, and the one that npm forwards.
 */
export function stopOnSignal(app: INestApplication, { shutdownTimeoutMs }: Config): void {
  const stop = async (signal: NodeJS.Signals) => {
    const logger = app.get(Logger);
    logger.log(`${signal}: stopping`);
    app.get(HealthService).stop();
    const deadline = sleep(shutdownTimeoutMs, 'deadline', { ref: false });
    const { httpAdapter } = app.get<HttpAdapterHost<PetstoreAdapter>>(HttpAdapterHost);
    // Nest passes the signal to the shutdown hooks, but the type of its applications lacks the parameter.
    const closable: { close(signal?: string): Promise<void> } = app;
    const closed = httpAdapter.drain().then(() => closable.close(signal));
    const outcome = await Promise.race([closed.catch((error: unknown) => error), deadline]);
    if (outcome !== undefined) logger.error(outcome, 'Stopped before everything was answered and closed');
    process.exit(0);
  };
  let stopped: Promise<void> | undefined;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, (signal) => void (stopped ??= stop(signal)));
  }
}
