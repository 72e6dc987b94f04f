import { Module } from '@nestjs/common';

import { FallbackRoutes } from './fallback-routes.js';

/** The edge of the service: what all operations have in common. */
@Module({ providers: [FallbackRoutes], exports: [FallbackRoutes] })
export class HttpModule {}
