import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PinoLogger } from 'nestjs-pino';

import { SERVICE_NAME, type ServiceName } from '../../program.js';
import { Unavailable } from '../../domain/errors.js';
import { findRequest } from '../find-request.js';
import { type ErrorResponse, toErrorResponse } from './error-response.js';

/** Answers every exception that no other filter catches with an Error body. A filter of a team can extend it. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly serviceLogger: PinoLogger,
    private readonly adapterHost: HttpAdapterHost,
    @Inject(SERVICE_NAME) private readonly service: ServiceName,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const isHttp = host.getType() === 'http';
    // The author of a GraphQLError, which has extensions, has chosen what the client gets.
    if (!isHttp && thrown instanceof Error && 'extensions' in thrown) throw thrown;
    const error = toErrorResponse(thrown);
    const { body, headers, cause } = error;
    const response = findRequest(host)?.res;
    if (cause instanceof Unavailable) {
      // The line of the request has the reason. A line of its own would add to the load.
      if (response) response.err = cause.cause instanceof Error ? cause.cause : cause;
    } else if (body.status >= 500) {
      const { name, cause: reason } = cause as Error;
      this.serviceLogger.error({ err: reason ?? cause }, name);
    }
    if (!response || !isHttp) throw toException(error);
    if (response.headersSent) {
      // Part of the response has been sent, so the only way to report the error is to close the connection.
      response.destroy();
    } else {
      response.set(headers).type('json');
      const challenge = headers['WWW-Authenticate'];
      if (challenge !== undefined) response.set('WWW-Authenticate', this.withRealm(challenge));
      this.adapterHost.httpAdapter.reply(response, error.getResponse(), body.status);
    }
  }

  /** Adds the name of the service to a challenge (RFC 9110, section 11.5). */
  private withRealm(challenge: string): string {
    const [, parameters = ''] = /^Bearer ?(.*)$/.exec(challenge) ?? [];
    return [`Bearer realm="${this.service.name}"`, ...(parameters ? [parameters] : [])].join(', ');
  }
}

/** Returns an error as an exception in the form of Nest's own, which its drivers of GraphQL map to codes. */
function toException(error: ErrorResponse): HttpException {
  const { code, message, status } = error.body;
  return new HttpException({ code, message, status, statusCode: status }, status, { cause: error });
}
