import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { Response } from 'express';
import { PinoLogger } from 'nestjs-pino';

import { STATUSES, type Statuses, toErrorResponse } from './error-mapper.js';

/** Codes with a status of 500 or more for requests that the client can only send otherwise. */
const MISTAKES_OF_CLIENTS = ['not_implemented', 'http_version_not_supported'];

/**
 * Answers every exception with its Error body: those of handlers, which the {@link DomainErrorInterceptor} has mapped,
 * and those that no interceptor sees, of guards, unmatched paths and broken requests.
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
    if (body.status >= 500 && !MISTAKES_OF_CLIENTS.includes(body.code)) {
      const { name, cause: reason } = cause as Error;
      this.logger.error({ err: reason ?? cause, requestId: response.getHeader('X-Request-Id') }, name);
    }
    // The client has part of the answer already: all that is left is to break it off.
    if (response.headersSent) response.destroy();
    else response.status(body.status).set(headers).type('json').json(body);
  }
}
