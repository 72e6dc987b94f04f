/** Exits with code 0 if the service in this container is alive, else with 1. A health check for images without curl. */
// An empty variable means the default, as in the configuration of the service.
const { METRICS_PORT = '', PORT = '' } = process.env;
// Clients can hold all connections of the service, but not of the port of the metrics, which has a listener of its own.
const checks = [METRICS_PORT, PORT === '' ? '3000' : PORT]
  .filter((port) => port !== '')
  .map(async (port) => {
    const url = `http://127.0.0.1:${port}/health/live`;
    const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(2000) });
    if (!ok) throw new Error(`status ${status}`);
  });
process.exitCode = await Promise.any(checks).then(
  () => 0,
  () => 1,
);

export {};
