import { Module } from '@nestjs/common';

import { FallbackRoutes } from './fallback-routes.js';

/** The HTTP parts that all operations share. */
@Module({ providers: [FallbackRoutes], exports: [FallbackRoutes] })
export class HttpModule {}
