import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';

import { ErrorFilter } from './error.filter.js';
import { ErrorMapper } from './error-mapper.js';

/** What every operation has in common: whatever goes wrong is answered with an Error body. */
@Global()
@Module({
  providers: [ErrorMapper, { provide: APP_FILTER, useClass: ErrorFilter }],
  exports: [ErrorMapper],
})
export class HttpModule {}
