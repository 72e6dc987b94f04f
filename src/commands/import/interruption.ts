import { ImportError } from './import-error.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work with an abort signal. The first SIGINT or SIGTERM aborts it with an ImportError as the reason. Further
 * signals have no effect.
 */
export async function withInterruption(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const interrupt = (name: string) => controller.abort(new ImportError(`interrupted by ${name}`));
  for (const name of SIGNALS) process.on(name, interrupt);
  try {
    await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
  }
}
