import type { LoggerService } from '@nestjs/common';

/**
 * Logs until the application has its logger. A start that fails throws, and the caller reports it. But Nest may also log
 * an error and end the process, such as for a missing package: then the errors are written to stderr.
 */
export class StartLogger implements LoggerService {
  private readonly errors: string[] = [];

  private readonly report = () => {
    for (const error of this.errors) process.stderr.write(`petstore: ${error}\n`);
  };

  constructor() {
    process.once('exit', this.report);
  }

  /** The start has ended: nothing is written from now on. */
  end(): void {
    process.off('exit', this.report);
  }

  error(message: unknown): void {
    this.errors.push(String(message));
  }

  log(): void {
    // Only errors are of interest.
  }

  warn(): void {
    // Only errors are of interest.
  }
}
