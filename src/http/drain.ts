import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Connections, REST_TIMEOUT_MS } from './connections.js';

/**
 * The maximum time for which the service answers further requests after a signal to stop. A load balancer sends them
 * until its health checks find that the service is not ready.
 */
const DRAIN_TIMEOUT_MS = 3000;

/** The time without new connections and requests after which no client is expected to send one. */
const QUIET_MS = 500;

/** The time for requests that clients have sent before they could notice the end of the connection. */
const GRACE_MS = 500;

const POLL_INTERVAL_MS = 20;

/** Answers further requests until clients send no more, for at most half of the time in which the process stops. */
export async function drain(connections: Connections, shutdownTimeoutMs: number): Promise<void> {
  connections.closeWithResponses();
  const startedAt = performance.now();
  // The balancer of an idle process can send the next request as well.
  const isQuiet = () => Math.min(connections.quietMs, performance.now() - startedAt) > QUIET_MS;
  await waitFor(isQuiet, Math.min(DRAIN_TIMEOUT_MS, shutdownTimeoutMs / 2));
}

/**
 * Accepts no new connections. Resolves when every request is answered.
 *
 * @param isGraceful whether to wait for requests that clients have already sent
 */
export async function closeServer(
  server: Server,
  connections: Connections,
  isGraceful: boolean,
): Promise<void> {
  connections.closeWithResponses();
  // The method of HTTP servers would also cut idle connections on which a request is under way.
  const closed = server.listening ? once(server, 'close') : undefined;
  NetServer.prototype.close.call(server);
  if (isGraceful) await waitFor(() => connections.count === 0, GRACE_MS);
  const closingAt = performance.now();
  while (connections.hasResponses) {
    // The rest of a body may never arrive.
    if (performance.now() - closingAt > REST_TIMEOUT_MS) connections.refuseUnfinished();
    await sleep(POLL_INTERVAL_MS);
  }
  server.closeAllConnections();
  await closed;
}

/** Resolves when the condition is true, or after a time. */
async function waitFor(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition() && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
}
