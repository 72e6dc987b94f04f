import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';

import { ErrorMapper } from './error-mapper.js';

/** Answers with an Error body where no interceptor runs: a refused key, an unknown path, a broken escape. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly errors: ErrorMapper,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const body = this.errors.answer(thrown, http.getRequest<Request>(), response);
    this.adapterHost.httpAdapter.reply(response, body);
  }
}
