import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';

import { ErrorFilter } from './error.filter.js';
import { Failure } from './failure.js';
import { ValidationPipe } from './validation.pipe.js';

/** What every operation has in common: validation on the way in, Error bodies on the way out. */
@Global()
@Module({
  providers: [
    Failure,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
  exports: [Failure],
})
export class HttpModule {}
