/** Exits with code 0 if the service in this container is alive, else with 1. A health check for images without curl. */
const { PORT = '3000' } = process.env;
try {
  const url = `http://127.0.0.1:${PORT}/health/live`;
  const { ok } = await fetch(url, { signal: AbortSignal.timeout(2000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}

export {};
