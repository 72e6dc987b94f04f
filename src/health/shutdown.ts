// The imports are types only, because the service calls `exitOnSignal` before it loads anything else.
import type { Server } from 'node:http';

import type { INestApplication } from '@nestjs/common';

import type { Config } from '../config/config.js';
import type { PetstoreAdapter } from '../http/petstore.adapter.js';
import type { HealthService } from './health.service.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The listeners of a signal: one of this file, and one of Nest. */
const LISTENERS_PER_APPLICATION = 2;

const exit = () => process.exit();

/**
 * Ends the process when a signal arrives during the start. A migration in progress rolls back with its connection. The
 * first process of a container would ignore a signal without a handler.
 */
export function exitOnSignal(): void {
  for (const signal of SIGNALS) if (process.listenerCount(signal, exit) === 0) process.on(signal, exit);
}

/**
 * Stops the process on SIGTERM, SIGINT and SIGHUP. It reports that it is not ready, answers the requests that it has
 * received, closes the database and exits with code 0. At the deadline, it aborts the remaining requests and exits with
 * code 1. Further signals have no effect, because one Ctrl+C can cause two: that of the terminal, and the one that npm
 * forwards.
 */
export function stopOnSignal(app: INestApplication, config: Config, health: HealthService): void {
  let isStopping = false;
  const prepare = (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    health.stop(signal);
    (app.getHttpAdapter() as PetstoreAdapter).drainsOnClose = true;
    setTimeout(() => {
      health.logger.error('Stopped before everything was answered and closed');
      process.exit(1);
    }, config.shutdownTimeoutMs).unref();
  };
  // Node would warn of a leak when a process has many applications.
  process.setMaxListeners(process.getMaxListeners() + LISTENERS_PER_APPLICATION);
  // In this order, because Node drops a signal that has arrived when its last listener is removed.
  for (const signal of SIGNALS) process.on(signal, prepare).off(signal, exit);
  // Nest closes the application, and then exits.
  app.enableShutdownHooks([...SIGNALS], { useProcessExit: true });
  (app.getHttpServer() as Server).once('close', () => {
    if (isStopping) return;
    for (const signal of SIGNALS) process.off(signal, prepare);
    process.setMaxListeners(process.getMaxListeners() - LISTENERS_PER_APPLICATION);
  });
}
