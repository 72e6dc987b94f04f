import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { Response } from 'express';
import { PinoLogger } from 'nestjs-pino';

import { STATUSES, type Statuses, toErrorResponse } from './error-mapper.js';

/** Codes with a status of 500 or more that the client causes, and that are not logged as errors. */
const CLIENT_ERROR_CODES = ['not_implemented', 'http_version_not_supported'];

/**
 * Answers every exception that no filter of a team catches with an Error body. Domain errors of handlers and of the
 * service's guards arrive as HttpExceptions, so that those filters catch them as Nest documents.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: PinoLogger,
    @Inject(STATUSES) private readonly statuses: Statuses,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const { body, headers, cause } = toErrorResponse(thrown, this.statuses);
    if (body.status >= 500 && !CLIENT_ERROR_CODES.includes(body.code)) {
      const { name, cause: reason } = cause as Error;
      this.logger.error({ err: reason ?? cause, requestId: response.getHeader('X-Request-Id') }, name);
    }
    // Part of the response has been sent, so the only way to report the error is to close the connection.
    if (response.headersSent) response.destroy();
    else response.status(body.status).set(headers).type('json').json(body);
  }
}
