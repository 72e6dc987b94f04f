import { ImportError } from './import-error.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work with a signal that the first SIGINT or SIGTERM aborts, with an ImportError as the reason. The second one
 * ends the process.
 */
export async function withInterruption(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const interrupt = (name: string) => controller.abort(new ImportError(`interrupted by ${name}`));
  for (const name of SIGNALS) process.once(name, interrupt);
  try {
    await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
  }
}
