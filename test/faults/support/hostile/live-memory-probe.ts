import { renameSync, writeFileSync } from 'node:fs';

// Imported by a process before its program (`--import`): on SIGUSR2, it tells what it holds in memory.
process.on('SIGUSR2', () => {
  const file = process.env['LIVE_MEMORY_FILE'] ?? '';
  globalThis.gc?.();
  // Of what was external, some is let go of only when its holder is gone.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.part`, String(heapUsed + external));
  renameSync(`${file}.part`, file);
});
