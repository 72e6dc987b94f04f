// The imports are types only, because the service calls `stopOnSignal` before it loads anything else.
import type { Server } from 'node:http';

import type { INestApplication } from '@nestjs/common';
import type { NestApplication } from '@nestjs/core';

import type { Config } from '../config/config.js';
import type { PetstoreAdapter } from '../http/petstore.adapter.js';
import type { HealthService } from './health.service.js';

const stops = new Set<(signal: string) => Promise<void>>();

let isStopping = false;

/**
 * Stops the process, and exits with code 0, or with 1 if an application fails to stop. Further signals have no effect,
 * because one Ctrl+C can cause two: that of the terminal, and the one that npm forwards. During the start, nothing is
 * served yet, and a migration in progress rolls back with its connection.
 */
async function stopProcess(signal: string): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([...stops].map((stop) => stop(signal)));
  process.exit();
}

const onSignal = (signal: string) => void stopProcess(signal);

/** Stops the process on SIGTERM, SIGINT and SIGHUP. The first process of a container would ignore them otherwise. */
export function stopOnSignal(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    if (process.listenerCount(signal, onSignal) === 0) process.on(signal, onSignal);
}

/**
 * Lets a signal stop an application, in this order:
 *
 * 1. The readiness check fails, so that a load balancer sends no further requests.
 * 2. The service answers those that still arrive, and closes their connections ({@link PetstoreAdapter.drain}).
 * 3. Nest calls `onModuleDestroy` and `beforeApplicationShutdown`: deliveries and the removal of expired rows end.
 * 4. The server accepts no connections, and the last requests are answered ({@link PetstoreAdapter.close}).
 * 5. Nest calls `onApplicationShutdown`: the database, the standbys and the server of the metrics close, and the last spans
 *    are exported.
 *
 * At SHUTDOWN_TIMEOUT_MS, it aborts what is left, and exits with code 1.
 */
export function stopWithProcess(app: INestApplication, config: Config, health: HealthService): void {
  const stop = async (signal: string) => {
    setTimeout(() => {
      health.logger.error('Stopped before everything was answered and closed');
      process.exit(1);
    }, config.shutdownTimeoutMs).unref();
    health.stop(signal);
    try {
      await (app.getHttpAdapter() as PetstoreAdapter).drain();
      // The hooks get the signal, as Nest documents it.
      await (app as NestApplication).close(signal);
    } catch (error) {
      process.exitCode = 1;
      health.logger.error({ err: error }, 'Stopped with an error');
    }
  };
  stops.add(stop);
  (app.getHttpServer() as Server).once('close', () => stops.delete(stop));
}
