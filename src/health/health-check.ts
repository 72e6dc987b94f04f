/** Exits with code 0 if the service in this container is alive, else with 1. A health check for images without curl. */
// An empty variable means the default, as in the configuration of the service.
const { PORT = '' } = process.env;
const port = PORT === '' ? '3000' : PORT;
try {
  const url = `http://127.0.0.1:${port}/health/live`;
  const { ok } = await fetch(url, { signal: AbortSignal.timeout(2000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}

export {};
