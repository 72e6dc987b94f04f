import { HttpAdapterHost } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';

import type { Config } from '../config/config.js';
import type { PetstoreAdapter } from '../http/petstore.adapter.js';
import { HealthService } from './health.service.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

const exit = () => process.exit();

/**
 * Ends the process when a signal arrives during the start. A migration in progress rolls back with its connection. The
 * first process of a container would ignore a signal without a handler.
 */
export function exitOnSignal(): void {
  for (const signal of SIGNALS) process.on(signal, exit);
}

/**
 * Stops the process on SIGTERM, SIGINT and SIGHUP. It reports that it is not ready, answers the requests that it has
 * received, closes the database and exits with code 0. At the deadline, it aborts the remaining requests and exits with
 * code 1. Further signals have no effect, because one Ctrl+C can cause two: that of the terminal, and the one that npm
 * forwards.
 */
export function stopOnSignal(app: NestExpressApplication, { shutdownTimeoutMs }: Config): void {
  const logger = app.get(Logger);
  const { httpAdapter } = app.get<HttpAdapterHost<PetstoreAdapter>>(HttpAdapterHost);
  let isStopping = false;
  const prepare = (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    logger.log(`${signal}: stopping`);
    app.get(HealthService).stop();
    httpAdapter.drainOnClose();
    setTimeout(() => {
      logger.error('Stopped before everything was answered and closed');
      process.exit(1);
    }, shutdownTimeoutMs).unref();
  };
  for (const signal of SIGNALS) process.off(signal, exit).on(signal, prepare);
  // Nest closes the application, and then exits.
  app.enableShutdownHooks([...SIGNALS], { useProcessExit: true });
}
