import type { LoggerService } from '@nestjs/common';

/**
 * The logger until the modules are instantiated, and with them the logger of the application. It writes errors to stderr
 * only if Nest ends the process, for example because a package is missing. If the start throws instead, the caller
 * reports the error.
 */
export class StartLogger implements LoggerService {
  private readonly errors: string[] = [];

  private readonly report = () => {
    for (const error of this.errors) process.stderr.write(`petstore: ${error}\n`);
  };

  constructor() {
    process.once('exit', this.report);
  }

  /** Ends the log of the start. Later messages are discarded. */
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
