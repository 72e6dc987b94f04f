import { type ArgumentsHost, Catch, Logger } from '@nestjs/common';
import { ErrorFilter, ErrorResponse } from 'petstore';

/** Reports conflicts. The service then answers with the Error body, as without this filter. */
@Catch()
export class ReportingFilter extends ErrorFilter {
  private readonly logger = new Logger('Reports');

  override catch(thrown: unknown, host: ArgumentsHost): void {
    // The service has mapped its domain errors to responses. Their causes are the original errors.
    if (thrown instanceof ErrorResponse && thrown.body.status === 409) {
      this.logger.warn(`conflict: ${(thrown.cause as Error).name}`);
    }
    super.catch(thrown, host);
  }
}
