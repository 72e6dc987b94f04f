import { type DynamicModule, Module } from '@nestjs/common';

import { type OwnErrorCodes, statusesOf } from '../domain/error-codes.js';
import { STATUSES } from './errors/error-mapper.js';

/** The HTTP parts that all operations share. */
@Module({})
export class HttpModule {
  /** @param errorCodes additional error codes */
  static forRoot(errorCodes: Partial<OwnErrorCodes>): DynamicModule {
    return {
      module: HttpModule,
      global: true,
      providers: [{ provide: STATUSES, useFactory: () => statusesOf(errorCodes) }],
      exports: [STATUSES],
    };
  }
}
