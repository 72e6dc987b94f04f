import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';

import { DomainErrorInterceptor } from './domain-error.interceptor.js';
import { ErrorFilter } from './error.filter.js';
import { Failure } from './failure.js';
import { ValidationPipe } from './validation.pipe.js';

/** What every operation has in common: validation on the way in, Error bodies on the way out. */
@Module({
  providers: [
    Failure,
    { provide: APP_INTERCEPTOR, useClass: DomainErrorInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
})
export class HttpModule {}
